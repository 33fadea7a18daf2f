import { type Call, callKey, isDiscarded, isMissed } from '../../../shared/calls/call.ts';
import { findOrCreateContactByPhone } from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { lockHolder } from '../../../shared/contact-aggregate/number-locks.ts';
import { contactKey } from '../../../shared/contacts/contact.ts';
import { readOwner } from '../../../shared/contacts/holdings.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { idAt } from '../../../shared/kernel/id-at.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { readAhead } from '../../../shared/kernel/read-ahead.ts';
import { after, timestamp } from '../../../shared/kernel/time.ts';
import { type NumberOwner, reportsTakenFor } from '../../../shared/organizations/phone-assignments.ts';
import { ownerIfEnabled } from '../../../shared/organizations/user.ts';
import type { Action } from '../../../shared/table/table.ts';
import { type CallLookup, lookUpCall } from './call-lookup.ts';
import { firstReported, isFinal, type Report, reported } from './call-states.ts';
import { changeCall, type EndingPorts, prepareEnding } from './change-call.ts';
import { toCounterparty } from './counterparty.ts';
import { placeholderContact } from './counterparty-address.ts';
import { readEarlierCalls } from './earlier-calls.ts';
import type { IncomingCall } from './incoming-call.ts';
import { newChangeIds } from './missed-call-context.ts';
import { commitMissedCall } from './missed-call-writes.ts';
import { type NewCallIds, newCallBetween } from './new-call.ts';
import { reportedBy } from './reported-call.ts';
import { storeCall } from './store-call.ts';

/** When a report is received, and how. */
export interface Receiving {
  /** Now, unless the report had to wait. */
  readonly receivedAt: Date;
  /** The call, if it is known that it was reported before. */
  readonly callId: string | undefined;
  /** Further requirements of the transaction of a new call. */
  readonly conditions: readonly Action[];
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
  { receivedAt, callId: known, conditions }: Receiving,
): Promise<Received> {
  const { table } = ports;
  const ids: NewCallIds = {
    contact: idAt(receivedAt, clock.newId()),
    conversation: idAt(receivedAt, clock.newId()),
    call: idAt(receivedAt, clock.newId()),
    change: newChangeIds(clock),
  };
  const report: Report = { status: incoming.status, at: receivedAt, seconds: incoming.seconds };
  const recording = { incoming, report, ports, ids, now: clock.now };
  return table.optimistically(async () => {
    if (known !== undefined) {
      return storeChanged(known, recording);
    }
    const found = await lookUpCall(ports, owner, incoming);
    return found.callId === undefined
      ? storeNew(owner, { ...found, conditions }, recording)
      : storeChanged(found.callId, recording);
  });
}

/** A report, and what recording it needs. */
interface Recording {
  readonly incoming: IncomingCall;
  readonly report: Report;
  readonly ports: EndingPorts;
  readonly ids: NewCallIds;
  readonly now: Date;
}

/** Records a further report of a call. */
async function storeChanged(
  callId: string,
  { incoming, report, ports, ids, now }: Recording,
): Promise<Received> {
  const { table } = ports;
  const contactId = contactIdIn(callId);
  const mayBeMissed = incoming.direction === 'inbound' && isFinal(incoming.status);
  const [record, home, ending] = await Promise.all([
    table.read(callKey(callId)),
    table.read(contactKey(contactId)),
    mayBeMissed ? prepareEnding(ports, contactId, incoming.number, incoming.own) : undefined,
  ]);
  const call = record?.data;
  if (record === undefined || call === undefined || isDiscarded(call)) {
    return { callId, contactId, call: undefined, duplicate: true };
  }
  const contact = await readOwner(table, call, home);
  const further = reported(call, report);
  // Fields that the erasure of the contact took from the call stay away.
  const changed = contact === undefined ? further : withRecording(further, incoming, report);
  // A provider may write the number in another way than in the first report, whose spelling the call has.
  const isOfSameNumbers = call.from === incoming.number && call.providerPhoneNumber === incoming.own;
  const found = { call, record, contact: contact?.data, ending: isOfSameNumbers ? ending : undefined };
  await changeCall({ ...found, after: changed }, ports, ids.change, now);
  return { callId, contactId, call: changed, duplicate: changed === call };
}

/** Records the first report of a call. */
async function storeNew(
  { organizationId, userId, provider }: NumberOwner,
  { lock, user, settings, pipelines, conditions }: CallLookup & Pick<Receiving, 'conditions'>,
  { incoming, report, ports, ids, now }: Recording,
): Promise<Received> {
  const { table, platform } = ports;
  const { direction, own: ownNumber, number, providerCallId } = incoming;
  const at = timestamp(report.at);
  const owner = ownerIfEnabled(user);
  const creator = { userId, organizationId, homeOrganizationId: organizationId };
  const holder = lockHolder(lock);
  const earlier =
    holder === undefined || settings === undefined
      ? undefined
      : readAhead(readEarlierCalls(table, holder, number));
  return findOrCreateContactByPhone(
    table,
    { lock, at, pipelines: pipelines.data.pipelines },
    (stageRef) => placeholderContact(incoming, direction, stageRef, { id: ids.contact, creator, owner, at }),
    async (contact) => {
      const { _id: contactId } = contact.state.contact;
      const counterparty = toCounterparty(table, contact, { owner, number }, ids.conversation, at);
      const sides = { provider, providerCallId, direction, number, own: ownNumber };
      const between = newCallBetween(sides, counterparty, ids, { organizationId, userId });
      const call = withRecording(firstReported(between, report), incoming, report);
      const { _id } = call;
      const more = [
        // A simultaneous report gets a version conflict here, and finds this record in its next attempt.
        platform.add(
          reportedBy({ organizationId, provider }, incoming),
          { callId: _id },
          { expiresAt: after(now, reportsTakenFor) },
        ),
        ...conditions,
      ];
      if (settings !== undefined && isMissed(call)) {
        const missed = { before: undefined, call, counterparty, hasSender: true, more };
        const write = { ...missed, earlier: await earlier };
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

/**
 * The call with the recording that a report names, also if the report tells nothing else that is new. Providers that sign the URLs of
 * their files write another one each time, so the recording's id counts, too.
 */
function withRecording(call: Call, { recording }: IncomingCall, { at }: Report): Call {
  const { recordings } = call;
  if (recording === undefined || recordings.length >= maxRecordings) {
    return call;
  }
  const { url, sid } = recording;
  const isKnown = recordings.some((known) => known.url === url || (sid !== undefined && known.sid === sid));
  return isKnown
    ? call
    : {
        ...call,
        recordings: [...recordings, { url, ...definedOnly({ sid }), createdAt: timestamp(at) }],
        updatedAt: timestamp(at),
      };
}
