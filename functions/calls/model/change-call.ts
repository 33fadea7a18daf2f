import { type Call, isMissed } from '../../../shared/calls/call.ts';
import type { MissedCallText } from '../../../shared/calls/missed-call.ts';
import { aggregateOf, type ContactAggregate } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import { eventSteps } from '../../../shared/live/outbox.ts';
import { type Stored, VersionConflict } from '../../../shared/table/table.ts';
import { listedSteps } from './call-entries.ts';
import { callEvents } from './call-events.ts';
import { contactIsThere, knownCounterparty } from './counterparty.ts';
import type { FoundCall } from './find-call.ts';
import { lastTextTo, type MissedCallSettings, missedCallSettings } from './missed-call-settings.ts';
import { commitMissedCall } from './missed-call-writes.ts';

/** The ports that ending a call needs: it may be missed, and then a text is queued, now or later. */
export type EndingPorts = Ports<{ table: 'write'; platform: 'write'; newcomerPolicy: 'read' }>;

/** The ids that all tries of a change use. */
export interface ChangeIds {
  readonly textConversation: string;
  readonly message: string;
  readonly reminder: string;
  readonly events: readonly string[];
}

/** Ids of one moment are in random order, so those of events are sorted: clients get them in that order. */
export function newChangeIds({ newId }: ClockAndIds): ChangeIds {
  return {
    textConversation: newId(),
    message: newId(),
    reminder: newId(),
    // A new contact, the beginning, the answer or the missed call, the end, the text.
    events: [newId(), newId(), newId(), newId(), newId()].sort(),
  };
}

/** What decides on the text for a missed call that is known. */
export interface Ending {
  readonly aggregate: ContactAggregate | undefined;
  readonly settings: MissedCallSettings;
  readonly lastText: Stored<MissedCallText> | undefined;
}

/** Reads it in one round trip. `number` is the caller's, if it was not withheld. */
export async function endingOf(
  { table, newcomerPolicy }: EndingPorts,
  contactId: string,
  number: string | undefined,
): Promise<Ending> {
  const [aggregate, settings, lastText] = await Promise.all([
    aggregateOf(table, contactId),
    missedCallSettings(table, newcomerPolicy),
    lastTextTo(table, contactId, number),
  ]);
  return { aggregate, settings, lastText };
}

export interface ChangedCall extends FoundCall {
  readonly after: Call;
  /** If it has been read already. */
  readonly ending?: Ending | undefined;
}

/**
 * Stores a call as it is after a change, in one transaction with the events that tell of it, and of a missed one with what follows.
 * Does nothing for a call that stays as it is.
 * @throws `VersionConflict` when it, or its contact, changes at the same moment.
 */
export async function changeCall(
  { call, record, contact, after, ending }: ChangedCall,
  ports: EndingPorts,
  ids: ChangeIds,
  now: Date,
): Promise<Call> {
  const { table } = ports;
  if (after === call) {
    return call;
  }
  if (isMissed(after) && !isMissed(call)) {
    const { contactId, conversationId } = after;
    const { aggregate, settings, lastText } = ending ?? (await endingOf(ports, contactId, after.from));
    if ((contact === undefined) !== (aggregate === undefined)) {
      throw new VersionConflict();
    }
    const counterparty = aggregate && knownCounterparty(table, aggregate, conversationId);
    return commitMissedCall(
      { before: record, call: after, counterparty, lastText },
      { ...ports, settings, ids, now },
    );
  }
  await table.commit([
    table.replace(record, after),
    ...listedSteps(table, after, contact !== undefined),
    ...(contact === undefined ? [] : [contactIsThere(table, contact._id)]),
    ...eventSteps(table, callEvents(call, after, contact), ids.events, now),
  ]);
  return after;
}
