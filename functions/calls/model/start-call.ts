import { type Call, callKey, startedCall } from '../../../shared/calls/call.ts';
import { aggregateByPhone, findAggregate } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { childId } from '../../../shared/contacts/child-id.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { primaryNumber } from '../../../shared/contacts/phone-numbers.ts';
import type { Direction } from '../../../shared/conversations/conversation.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { eventStep } from '../../../shared/live/outbox.ts';
import type { PhoneAssignment } from '../../../shared/organizations/phone-assignment.ts';
import {
  assignmentsOf,
  defaultAssignment,
  defaultInboundAssignment,
} from '../../../shared/organizations/phone-assignments.ts';
import { withKnownPipelines } from '../../../shared/pipelines/known-pipelines.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { timestamp } from '../../../shared/time.ts';
import { listedSteps } from './call-entries.ts';
import { callAnswered } from './call-events.ts';
import { type Counterparty, knownCounterparty, newCounterparty } from './counterparty.ts';

/** What an operation that begins a call is given. */
type Context = ClockAndIds & { readonly table: TableWriter; readonly caller: Caller };

/**
 * A call with whoever has this number (E.164), whoever may see that contact: a number rings where it rings. Who has none yet
 * becomes a contact by it. Three round trips: the number's contact is known only after its lock was read.
 */
export async function callWithNumber(direction: Direction, number: string, context: Context): Promise<Call> {
  const { table, caller, now } = context;
  const ids = newIds(context);
  return table.optimistically(async () => {
    const [aggregate, assignments] = await Promise.all([
      aggregateByPhone(table, number),
      assignmentsOf(table, caller.userId),
    ]);
    const withCounterparty = (counterparty: Counterparty) =>
      begun({ direction, number, counterparty, assignments }, ids, context);
    return aggregate === undefined
      ? withKnownPipelines(table, (pipelines) =>
          withCounterparty(
            newCounterparty(table, { direction, number }, pipelines, caller, ids, timestamp(now)),
          ),
        )
      : withCounterparty(knownCounterparty(table, aggregate, caller, ids, timestamp(now)));
  });
}

/**
 * A call to a contact that the caller may see, on the number given or else on its primary one.
 * @throws a 400 `Failure` when that is none of the contact's numbers, or it has none.
 */
export async function callToContact(
  contactId: string,
  wanted: string | undefined,
  context: Context,
): Promise<Call> {
  const { table, caller, now } = context;
  const ids = newIds(context);
  return table.optimistically(async () => {
    const [aggregate, assignments] = await Promise.all([
      findAggregate(table, caller, contactId),
      assignmentsOf(table, caller.userId),
    ]);
    const number = numberOf(aggregate.contact.data, wanted);
    const counterparty = knownCounterparty(table, aggregate, caller, ids, timestamp(now));
    return begun({ direction: 'outbound', number, counterparty, assignments }, ids, context);
  });
}

/** Identifiers that every try keeps. Those of one moment sort at random; clients learn of a contact before its call. */
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
        ? 'contactId must be a contact with a phone number'
        : 'phoneNumber must be one of the numbers of the contact in contactId',
    );
  }
  return number;
}

interface Beginning {
  readonly direction: Direction;
  /** Of the other side. */
  readonly number: string;
  readonly counterparty: Counterparty;
  readonly assignments: readonly PhoneAssignment[];
}

/** Commits the call with all that belongs to it. */
async function begun(
  { direction, number, counterparty, assignments }: Beginning,
  ids: ReturnType<typeof newIds>,
  { table, caller, now }: Context,
): Promise<Call> {
  const isInbound = direction === 'inbound';
  const line = isInbound ? defaultInboundAssignment(assignments) : defaultAssignment(assignments);
  const { contact, conversationId, steps, events } = counterparty;
  const call = startedCall(
    {
      _id: childId(contact._id, ids.call),
      provider: defaultAssignment(assignments)?.provider ?? 'sdk',
      direction,
      number,
      own: line?.phoneNumber ?? null,
      contactId: contact._id,
      conversationId,
      organizationId: caller.organizationId,
      userId: caller.userId,
    },
    timestamp(now),
  );
  const told = [...events, ...(isInbound ? [callAnswered(call, contact)] : [])];
  await table.commit([
    ...steps,
    table.add(callKey(call._id), call),
    ...listedSteps(table, call, true),
    ...told.map((event, index) => eventStep(table, event, ids.events[index] ?? '', now)),
  ]);
  return call;
}
