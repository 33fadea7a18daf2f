import { type Call, callKey, startedCall } from '../../../shared/calls/call.ts';
import {
  conversationOn,
  findAggregate,
  withConversation,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import {
  findOrCreateContactByPhone,
  storedContact,
  type WritableContact,
} from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { touchContact } from '../../../shared/contact-aggregate/touch-contact.ts';
import { childId, newContact, primaryNumber, type StoredContact } from '../../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import { placeholderFields } from '../../../shared/contacts/placeholder-contact.ts';
import {
  conversationKey,
  type Direction,
  newConversation,
} from '../../../shared/conversations/conversation.ts';
import { type Caller, userHere } from '../../../shared/kernel/caller.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import { eventSteps } from '../../../shared/live/outbox.ts';
import {
  assignmentsOf,
  defaultAssignment,
  type PhoneAssignment,
} from '../../../shared/organizations/phone-assignments.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { listedSteps } from './call-entries.ts';
import { callAnswered } from './call-events.ts';

type Context = ClockAndIds & { readonly table: TableWriter; readonly caller: Caller };

/**
 * Starts a call with the contact that has this number (E.164), even one that the caller may not see. An unknown number becomes a
 * placeholder contact. It takes three round trips, because the number's lock names the contact.
 */
export async function callWithNumber(direction: Direction, number: string, context: Context): Promise<Call> {
  const { table, caller, now } = context;
  const ids = newIds(context);
  const fields = placeholderFields(`${direction} call`, number);
  return table.optimistically(async () => {
    const [lock, assignments] = await Promise.all([
      table.read(phoneLockKey(number)),
      assignmentsOf(table, caller.userId),
    ]);
    return findOrCreateContactByPhone(
      table,
      { lock },
      (place) => newContact(ids.contact, caller, place, fields, timestamp(now)),
      (contact) => storeCall({ direction, number, contact, assignments }, ids, context),
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
  context: Context,
): Promise<Call> {
  const { table, caller } = context;
  const ids = newIds(context);
  return table.optimistically(async () => {
    const [aggregate, assignments] = await Promise.all([
      findAggregate(table, caller, contactId),
      assignmentsOf(table, caller.userId),
    ]);
    const number = numberOf(aggregate.contact.data, wanted);
    const contact = storedContact(table, aggregate);
    return storeCall({ direction: 'outbound', number, contact, assignments }, ids, context);
  });
}

/** Ids that all tries use. Ids of one moment are in random order, so they are sorted: clients get a contact before its call. */
function newIds({ newId }: ClockAndIds) {
  return { call: newId(), contact: newId(), conversation: newId(), events: [newId(), newId()].sort() };
}

function numberOf({ phoneNumbers }: StoredContact, wanted: string | undefined): string {
  const number =
    wanted === undefined
      ? primaryNumber(phoneNumbers)
      : phoneNumbers.find(({ value }) => value === wanted)?.value;
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

interface NewCall {
  readonly direction: Direction;
  /** The counterparty's. */
  readonly number: string;
  readonly contact: WritableContact;
  /** The caller's. */
  readonly assignments: readonly PhoneAssignment[];
}

/** Stores the call, with its contact and voice conversation, in one transaction. */
async function storeCall(
  { direction, number, contact: counterparty, assignments }: NewCall,
  ids: ReturnType<typeof newIds>,
  { table, caller, now }: Context,
): Promise<Call> {
  const at = timestamp(now);
  const { contact } = counterparty.state;
  const { conversationId, steps, events } = voiceConversation(
    table,
    counterparty,
    caller,
    ids.conversation,
    at,
  );
  const line = defaultAssignment(assignments);
  const call = startedCall(
    {
      _id: childId(contact._id, ids.call),
      provider: line?.provider ?? 'sdk',
      direction,
      number,
      own: direction === 'outbound' || line?.isInboundEnabled ? (line?.phoneNumber ?? null) : null,
      contactId: contact._id,
      conversationId,
      organizationId: caller.organizationId,
      userId: caller.userId,
    },
    at,
  );
  const allEvents = [...events, ...(direction === 'inbound' ? [callAnswered(call, contact)] : [])];
  await table.commit([
    ...steps,
    table.add(callKey(call._id), call),
    ...listedSteps(table, call, true),
    ...eventSteps(table, allEvents, ids.events, now),
  ]);
  return call;
}

/**
 * The contact's voice conversation, with the steps that require or create it. A contact that has one is not written again, so
 * that simultaneous calls do not conflict.
 */
function voiceConversation(
  table: TableWriter,
  { state, writes }: WritableContact,
  caller: Caller,
  newId: string,
  at: Timestamp,
): ReturnType<WritableContact['writes']> & { readonly conversationId: string } {
  const { contact } = state;
  const known = conversationOn(state, 'voice');
  if (known !== undefined) {
    // A contact is deleted with its conversations: the first step fails for both, and the number is looked up again.
    const steps = [
      table.require(conversationKey(contact._id, known._id), { when: 'attribute_exists(pk)' }),
      touchContact(table, contact._id),
    ];
    return { conversationId: known._id, steps, events: [] };
  }
  const conversationId = childId(contact._id, newId);
  const conversation = newConversation(conversationId, contact, 'voice', userHere(caller), at);
  return { conversationId, ...writes(withConversation(state, conversation)) };
}
