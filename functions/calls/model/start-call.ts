import type { Call } from '../../../shared/calls/call.ts';
import { findAggregate } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import {
  findOrCreateContactByPhone,
  storedContact,
  type WritableContact,
} from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { ownNumber, primaryNumber, type StoredContact } from '../../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import type { Direction } from '../../../shared/conversations/conversation.ts';
import { userHere } from '../../../shared/kernel/caller.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import {
  defaultAssignment,
  type PhoneAssignment,
  readAssignments,
} from '../../../shared/organizations/phone-assignments.ts';
import { startedCall } from './call-states.ts';
import { toCounterparty } from './counterparty.ts';
import { placeholderContact } from './counterparty-address.ts';
import { type CallContext, type NewCallIds, newCallBetween, newCallIds } from './new-call.ts';
import { storeCall } from './store-call.ts';

/**
 * Starts a call with the contact that has this number (E.164), even one that the caller may not see. An unknown number becomes a
 * placeholder contact. It takes three round trips, because the number's lock names the contact.
 */
export async function callWithNumber(
  direction: Direction,
  number: string,
  context: CallContext,
): Promise<Call> {
  const { table, caller, now } = context;
  const ids = newCallIds(context);
  const creation = { id: ids.contact, creator: caller, owner: userHere(caller), at: timestamp(now) };
  return table.optimistically(async () => {
    const [lock, assignments] = await Promise.all([
      table.read(phoneLockKey(number)),
      readAssignments(table, caller.userId),
    ]);
    return findOrCreateContactByPhone(
      table,
      { lock, at: creation.at },
      (stageRef) => placeholderContact({ number }, direction, stageRef, creation),
      (contact) => storeStarted({ direction, number, contact, assignments }, ids, context),
    );
  });
}

/**
 * Starts a call to a contact that the caller may see, on the given number or the primary one.
 * @throws a 400 `Failure` when the contact does not have the number, or has none.
 */
export async function callToContact(
  contactId: string,
  wanted: string | undefined,
  context: CallContext,
): Promise<Call> {
  const { table, caller, now } = context;
  const ids = newCallIds(context);
  return table.optimistically(async () => {
    const [aggregate, assignments] = await Promise.all([
      findAggregate(table, caller, contactId),
      readAssignments(table, caller.userId),
    ]);
    const number = numberOf(aggregate.contact.data, wanted);
    const contact = storedContact(table, aggregate, timestamp(now));
    return storeStarted({ direction: 'outbound', number, contact, assignments }, ids, context);
  });
}

function numberOf({ phoneNumbers }: StoredContact, wanted: string | undefined): string {
  const number = wanted === undefined ? primaryNumber(phoneNumbers) : ownNumber(phoneNumbers, wanted);
  if (number === undefined) {
    throw new Failure(
      'INVALID',
      wanted === undefined
        ? 'contactId must be the id of a contact with a phone number'
        : 'phoneNumber must be one of the phone numbers of the contact in contactId',
    );
  }
  return number;
}

interface Start {
  readonly direction: Direction;
  /** The counterparty's. */
  readonly number: string;
  readonly contact: WritableContact;
  /** The caller's. */
  readonly assignments: readonly PhoneAssignment[];
}

/** Stores the call, with its contact and voice conversation, in one transaction. */
function storeStarted(
  { direction, number, contact, assignments }: Start,
  ids: NewCallIds,
  { table, caller, ...clock }: CallContext,
): Promise<Call> {
  const { now } = clock;
  const line = defaultAssignment(assignments);
  const lineNumber = direction === 'outbound' || line?.isInboundEnabled ? line?.phoneNumber : undefined;
  const between = { owner: userHere(caller), number };
  const counterparty = toCounterparty(table, contact, between, ids.conversation, timestamp(now));
  const provider = line?.provider ?? 'sdk';
  const call = startedCall(
    newCallBetween({ direction, provider, number, own: lineNumber }, counterparty, ids, caller),
    now,
  );
  return storeCall(table, { call, counterparty }, clock);
}
