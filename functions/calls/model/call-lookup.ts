import { type Pipelines, readPipelines } from '../../../shared/contacts/pipeline.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import type { NumberOwner } from '../../../shared/organizations/phone-assignments.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import type { Stored } from '../../../shared/table/table.ts';
import { isFinal } from './call-states.ts';
import { counterpartyLock } from './counterparty-address.ts';
import type { IncomingCall } from './incoming-call.ts';
import { type MissedCallSettings, readMissedCallSettings } from './missed-call-settings.ts';
import { readReportedCalls, reportedFor } from './reported-call.ts';

/** The stored records about the subject of a report, in the organization that has the number. */
export interface CallLookup {
  /** The call, if it was reported before. */
  readonly callId: string | undefined;
  /** The lock of the number or address on the other end. */
  readonly lock: Stored<never> | undefined;
  /** The user of the number. */
  readonly user: Stored<User> | undefined;
  /** For a report of a missed call. */
  readonly settings: MissedCallSettings | undefined;
  readonly pipelines: Stored<Pipelines>;
}

/** Reads it in one round trip. */
export async function lookUpCall(
  { table, platform, trialPolicy }: Ports<{ table: 'read'; platform: 'read'; trialPolicy: 'read' }>,
  owner: Pick<NumberOwner, 'organizationId' | 'userId' | 'provider'>,
  incoming: IncomingCall,
): Promise<CallLookup> {
  const [calls, lock, user, settings, pipelines] = await Promise.all([
    readReportedCalls(platform, incoming),
    table.read(counterpartyLock(incoming, owner.userId)),
    table.read(userKey(owner.userId)),
    isMissedReport(incoming) ? readMissedCallSettings(table, trialPolicy) : undefined,
    readPipelines(table),
  ]);
  return { callId: reportedFor(calls, owner), lock, user, settings, pipelines };
}

/** Whether the report alone says that its call was missed. */
function isMissedReport({ direction, status }: IncomingCall): boolean {
  return direction === 'inbound' && isFinal(status) && status !== 'completed';
}
