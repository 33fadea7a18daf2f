import {
  type HintedContact,
  type HintReading,
  hintedContact,
  readHint,
} from '../../../shared/contact-aggregate/contact-hint.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import type { NumberOwner } from '../../../shared/organizations/phone-assignments.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import { currentPipelines, knownPipelines } from '../../../shared/pipelines/known-pipelines.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { isFinal } from './call-states.ts';
import { lockOf } from './counterparty-address.ts';
import { type EarlierCalls, earlierCallsOf } from './earlier-calls.ts';
import { counterpartyIn, type IncomingCall } from './incoming-call.ts';
import { type MissedCallSettings, missedCallSettings } from './missed-call-settings.ts';
import { type ReportedCalls, reportedCalls, reportedFor } from './reported-call.ts';

/** What is stored about the subject of a report, in the organization that has the number. */
export interface CallLookup {
  /** The call, if it was reported before: then nothing else is needed. */
  readonly callId: string | undefined;
  /** The lock of the number or address on the other end. */
  readonly lock?: Stored<never> | undefined;
  /** Who probably is on the other end. */
  readonly hinted?: HintedContact | undefined;
  /** What that contact's earlier missed calls led to, if it is read ahead and the report is of a missed call. */
  readonly hintedCalls?: EarlierCalls | undefined;
  /** The user of the number. */
  readonly user?: Stored<User> | undefined;
  /** For a report of a missed call. */
  readonly settings?: MissedCallSettings | undefined;
}

/** What is read of a report before its organization is known. */
export interface CallLookupReads extends Ports<{ platform: 'write'; newcomerPolicy: 'read' }> {
  readonly calls: Promise<ReportedCalls>;
  readonly hint: HintReading;
}

/** Begins to read it, before the organization is known. */
export function beginCallLookup(
  ports: Ports<{ platform: 'write'; newcomerPolicy: 'read' }>,
  incoming: IncomingCall,
): CallLookupReads {
  const { platform, newcomerPolicy } = ports;
  const hint = readHint(platform, incoming.own, counterpartyIn(incoming) ?? '');
  return { platform, newcomerPolicy, hint, calls: callsOf(platform, incoming) };
}

/** Begins it again, with the calls as they are now. */
export const repeatCallLookup = (reads: CallLookupReads, incoming: IncomingCall): CallLookupReads => ({
  ...reads,
  calls: callsOf(reads.platform, incoming),
});

function callsOf(platform: TableReader<'platform'>, incoming: IncomingCall): Promise<ReportedCalls> {
  const calls = reportedCalls(platform, incoming);
  calls.catch(() => undefined); // Awaited once the organization is known.
  return calls;
}

/** What is looked up of a call that was reported before: nothing else is needed. */
export const knownCall = (callId: string): CallLookup => ({ callId });

/** Reads it in one round trip. `isOwner` tells whether it is certain that the organization has the number. */
export async function lookUpCall(
  table: TableReader,
  owner: Pick<NumberOwner, 'organizationId' | 'userId' | 'provider'>,
  incoming: IncomingCall,
  { calls, hint, newcomerPolicy }: CallLookupReads,
  isOwner = true,
): Promise<CallLookup> {
  const reported = calls.then((all) => reportedFor(all, owner));
  // Both were read beside the owner, or are being read beside it now.
  const known = isOwner ? await reported : undefined;
  if (known !== undefined) {
    return knownCall(known);
  }
  const isMissed = isMissedReport(incoming);
  const hintRead = hintedContact(table, hint, { readsAhead: isOwner });
  if (isOwner) {
    await hintRead;
  }
  const [callId, lock, user, settings, hinted, hintedCalls] = await Promise.all([
    reported,
    table.read(lockOf(incoming, owner.userId)),
    table.read(userKey(owner.userId)),
    isMissed ? missedCallSettings(table, newcomerPolicy) : undefined,
    hintRead,
    hintRead.then((one) =>
      isMissed && one?.aggregate ? earlierCallsOf(table, one.contactId, incoming.number) : undefined,
    ),
    // For a contact who is unknown; later reports of this process need no read.
    knownPipelines(table) ?? currentPipelines(table),
  ]);
  return { callId, lock, user, settings, hinted, hintedCalls };
}

/** Whether the report alone says that its call was missed. */
function isMissedReport({ direction, status }: IncomingCall): boolean {
  return direction === 'inbound' && isFinal(status) && status !== 'completed';
}
