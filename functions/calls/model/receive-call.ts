import { type Call, callKey, isDiscarded, isMissed } from '../../../shared/calls/call.ts';
import { findOrCreateContactByPhone } from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { contactIdIn, contactKey } from '../../../shared/contacts/contact.ts';
import type { PhoneLock } from '../../../shared/contacts/phone-numbers.ts';
import { idAt } from '../../../shared/kernel/id-at.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { after, timestamp } from '../../../shared/kernel/time.ts';
import { type NumberOwner, reportsTakenFor } from '../../../shared/organizations/phone-assignments.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import { currentPipelines, knownPipelines } from '../../../shared/pipelines/known-pipelines.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import type { Action, Stored, TableReader } from '../../../shared/table/table.ts';
import { firstReported, isFinal, type Report, reported } from './call-states.ts';
import { changeCall, type EndingPorts, endingOf } from './change-call.ts';
import { counterpartyOf } from './counterparty.ts';
import { lockOf, placeholderContact } from './counterparty-address.ts';
import { earlierCallsOf } from './earlier-calls.ts';
import type { IncomingCall } from './incoming-call.ts';
import { type ChangeIds, newChangeIds } from './missed-call-context.ts';
import { missedCallSettings } from './missed-call-settings.ts';
import { commitMissedCall } from './missed-call-writes.ts';
import { type NewCallIds, newCallBetween } from './new-call.ts';
import { type ReportedCall, reportedCallKey } from './reported-call.ts';
import { storeCall } from './store-call.ts';

/** What is stored about the subject of a report, in the organization that has the number. */
export interface Reception {
  /** The call, if it was reported before. */
  readonly earlier: Stored<ReportedCall> | undefined;
  /** The contact on the other end, if it is known. */
  readonly lock: Stored<PhoneLock> | undefined;
  /** The user of the number. */
  readonly user: Stored<User> | undefined;
}

/** When a report is received, and how. */
export interface Receiving {
  /** Now, unless the report had to wait. */
  readonly receivedAt: Date;
  /** What the first try finds. */
  readonly known: Reception;
  /** What else the transaction of a new call requires. */
  readonly conditions: readonly Action[];
}

/** Reads it in one round trip. */
export async function receptionOf(
  table: TableReader,
  { userId, provider }: Pick<NumberOwner, 'userId' | 'provider'>,
  incoming: IncomingCall,
): Promise<Reception> {
  const [earlier, lock, user] = await Promise.all([
    table.read(reportedCallKey(digestOf(JSON.stringify([provider, incoming.sid])))),
    table.read(lockOf(incoming, userId)),
    table.read(userKey(userId)),
    // For a contact who is unknown; later reports of this process need no read.
    knownPipelines(table) ?? currentPipelines(table),
  ]);
  return { earlier, lock, user };
}

/** The call after a report. */
export interface Received {
  readonly callId: string;
  readonly contactId: string;
  /** Undefined if the call was discarded. */
  readonly call: Call | undefined;
  /** Whether the report changed nothing. */
  readonly duplicate: boolean;
}

/**
 * Records what a provider reports of a call, once however often and simultaneously it does, and in whatever order.
 * @throws a 404 `Failure` for an unknown caller when there is no Contact pipeline.
 */
export async function receiveCall(
  owner: NumberOwner,
  incoming: IncomingCall,
  ports: EndingPorts,
  clock: ClockAndIds,
  { receivedAt, known, conditions }: Receiving,
): Promise<Received> {
  const { table } = ports;
  const ids: NewCallIds = {
    contact: idAt(receivedAt, clock.newId()),
    conversation: idAt(receivedAt, clock.newId()),
    call: idAt(receivedAt, clock.newId()),
    change: newChangeIds(clock),
  };
  const report: Report = { status: incoming.status, at: receivedAt, seconds: incoming.seconds };
  let reception: Reception | undefined = known;
  return table.optimistically(async () => {
    const found = reception ?? (await receptionOf(table, owner, incoming));
    reception = undefined;
    return found.earlier === undefined
      ? start(owner, incoming, report, { ...found, conditions }, ports, ids, clock.now)
      : change(found.earlier.data.callId, incoming, report, ports, ids.change, clock.now);
  });
}

async function change(
  callId: string,
  incoming: IncomingCall,
  report: Report,
  ports: EndingPorts,
  ids: ChangeIds,
  now: Date,
): Promise<Received> {
  const { table } = ports;
  const contactId = contactIdIn(callId);
  const mayBeMissed = incoming.direction === 'inbound' && isFinal(incoming.status);
  const [record, contact, ending] = await Promise.all([
    table.read(callKey(callId)),
    table.read(contactKey(contactId)),
    mayBeMissed ? endingOf(ports, contactId, incoming.number, incoming.own) : undefined,
  ]);
  const call = record?.data;
  if (record === undefined || call === undefined || isDiscarded(call)) {
    return { callId, contactId, call: undefined, duplicate: true };
  }
  const further = reported(call, report);
  // What the erasure of the contact took from the call stays away.
  const changed = contact === undefined ? further : withRecording(further, incoming, report);
  // A provider may write the number in another way than in the first report, whose spelling the call has.
  const isOfSameNumbers = call.from === incoming.number && call.providerPhoneNumber === incoming.own;
  const found = { call, record, contact: contact?.data, ending: isOfSameNumbers ? ending : undefined };
  await changeCall({ ...found, after: changed }, ports, ids, now);
  return { callId, contactId, call: changed, duplicate: changed === call };
}

async function start(
  { organizationId, userId, provider }: NumberOwner,
  incoming: IncomingCall,
  report: Report,
  { lock, user, conditions }: Reception & Pick<Receiving, 'conditions'>,
  ports: EndingPorts,
  ids: NewCallIds,
  now: Date,
): Promise<Received> {
  const { table, newcomerPolicy } = ports;
  const { direction, own, number, providerCallId, sid } = incoming;
  const at = timestamp(report.at);
  // A disabled user would own contacts that nobody reads.
  const owner = user === undefined || user.data.disabled ? null : userId;
  const creator = { userId, organizationId, homeOrganizationId: organizationId };
  const isMissedCall = direction === 'inbound' && isFinal(report.status) && report.status !== 'completed';
  const prepared = isMissedCall
    ? Promise.all([
        missedCallSettings(table, newcomerPolicy),
        lock && earlierCallsOf(table, lock.data.contactId, number),
      ])
    : undefined;
  prepared?.catch(() => undefined); // Used only once the contact is known.
  return findOrCreateContactByPhone(
    table,
    { lock },
    (place) => placeholderContact(incoming, direction, place, { id: ids.contact, creator, owner, at }),
    async (contact) => {
      const { _id: contactId } = contact.state.contact;
      const counterparty = counterpartyOf(table, contact, owner, ids.conversation, at);
      const sides = { provider, providerCallId, direction, number, own };
      const between = newCallBetween(sides, counterparty, ids, { organizationId, userId });
      const call = withRecording(firstReported(between, report), incoming, report);
      const { _id } = call;
      const more = [
        // A simultaneous report gets a version conflict here, and finds this record in its next attempt.
        table.add(
          reportedCallKey(digestOf(JSON.stringify([provider, sid]))),
          { callId: _id },
          { expiresAt: after(now, reportsTakenFor) },
        ),
        ...conditions,
      ];
      if (prepared !== undefined && isMissed(call)) {
        const [settings, earlier] = await prepared;
        const write = { before: undefined, call, counterparty, earlier, hasSender: true, more };
        await commitMissedCall(write, { ...ports, settings, ids: ids.change, now });
      } else {
        await storeCall(table, { call, counterparty, more }, { newId: ids.change.newId, now });
      }
      return { callId: _id, contactId, call, duplicate: false };
    },
  );
}

/** Recordings of a call; a provider makes one, or one for each part. */
const maxRecordings = 20;

/** The call with the recording that a report names, also if the report tells nothing else that is new. */
function withRecording(call: Call, { recordingUrl: url }: IncomingCall, { at }: Report): Call {
  const { recordings } = call;
  return url === undefined || recordings.length >= maxRecordings || recordings.some((one) => one.url === url)
    ? call
    : {
        ...call,
        recordings: [...recordings, { url, createdAt: timestamp(at) }],
        updatedAt: timestamp(at),
      };
}
