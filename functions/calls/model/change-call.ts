import { type Call, isMissed } from '../../../shared/calls/call.ts';
import { type ContactAggregate, readAggregate } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { readNumberOwner } from '../../../shared/organizations/phone-assignments.ts';
import { VersionConflict } from '../../../shared/table/table.ts';
import { knownCounterparty } from './counterparty.ts';
import { type EarlierCalls, readEarlierCalls } from './earlier-calls.ts';
import type { ChangeIds, MissedCallPorts } from './missed-call-context.ts';
import { type MissedCallSettings, readMissedCallSettings } from './missed-call-settings.ts';
import { commitMissedCall } from './missed-call-writes.ts';
import { type ChangedCall, storeChangedCall } from './store-call.ts';

/** The ports that ending a call needs: it may be missed, and its number may be gone. */
export type EndingPorts = MissedCallPorts & Ports<{ identity: 'read' }>;

/** The records that decide on the text for a missed call of a known contact. */
export interface Ending {
  readonly aggregate: ContactAggregate | undefined;
  readonly settings: MissedCallSettings;
  readonly earlier: EarlierCalls;
  /** Whether the organization still has the number that was called, to send a text from. */
  readonly hasSender: boolean;
}

/**
 * Reads it in one round trip. `number` is the caller's, unless it was withheld; `own` is the number that was called, if known.
 */
export async function prepareEnding(
  { table, identity, trialPolicy }: Pick<EndingPorts, 'table' | 'identity' | 'trialPolicy'>,
  contactId: string,
  number: string | undefined,
  ownNumber: string | undefined,
): Promise<Ending> {
  const [aggregate, settings, earlier, owner] = await Promise.all([
    readAggregate(table, contactId),
    readMissedCallSettings(table, trialPolicy),
    readEarlierCalls(table, contactId, number),
    ownNumber === undefined ? undefined : readNumberOwner(identity, ownNumber),
  ]);
  return { aggregate, settings, earlier, hasSender: owner?.organizationId === table.organizationId };
}

export interface EndedCall extends ChangedCall {
  /** If it has been read already. */
  readonly ending?: Ending | undefined;
}

/**
 * Stores a call after a change that may have made it missed: then in one transaction with the text or reminder that follows.
 * Does nothing for a call that stays as it is.
 * @throws `VersionConflict` when the call, or its contact, changes at the same moment.
 */
export async function changeCall(
  { ending, ...changed }: EndedCall,
  ports: EndingPorts,
  ids: ChangeIds,
  now: Date,
): Promise<Call> {
  const { table } = ports;
  const { call, record, contact, after } = changed;
  if (after === call) {
    return call;
  }
  if (!isMissed(after) || isMissed(call)) {
    return storeChangedCall(table, changed, { newId: ids.newId, now });
  }
  const { contactId, conversationId, from, providerPhoneNumber } = after;
  const known = ending ?? (await prepareEnding(ports, contactId, from, providerPhoneNumber));
  const { aggregate, settings, earlier, hasSender } = known;
  if ((contact === undefined) !== (aggregate === undefined)) {
    throw new VersionConflict();
  }
  const counterparty = aggregate && knownCounterparty(table, aggregate, conversationId);
  return commitMissedCall(
    { before: record, call: after, counterparty, earlier, hasSender },
    { ...ports, settings, ids, now },
  );
}
