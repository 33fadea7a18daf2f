import { decodeTime } from 'ulid';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import {
  type FormerOwner,
  type NumberOwner,
  openSecrets,
  readNumberOwners,
} from '../../../shared/organizations/phone-assignments.ts';
import type { IncomingCall } from './incoming-call.ts';
import { type ReportedCalls, readReportedCalls, reportedFor } from './reported-call.ts';

type Reading = Ports<{ identity: 'read'; platform: 'read'; secrets: 'open' }> & { readonly now: Date };

/** The organization and user of a reported call. */
export interface OwnerOfCall {
  readonly owner: NumberOwner;
  /** The call, if it was reported before. */
  readonly callId: string | undefined;
  /** One of them signs the report; none if anybody may report. */
  readonly secrets: readonly string[];
}

/**
 * The owner of the number of a call, or the one it had when the call began: if the number is removed during the call, and perhaps assigned
 * in another organization, the call stays where it began. Undefined for a new call with a number that nobody has.
 */
export async function findOwnerOfCall(
  { identity, platform, secrets, now }: Reading,
  incoming: IncomingCall,
): Promise<OwnerOfCall | undefined> {
  const { own: ownNumber } = incoming;
  const [{ current, former }, calls] = await Promise.all([
    readNumberOwners(identity, ownNumber, now),
    readReportedCalls(platform, incoming),
  ]);
  const callId = current && reportedFor(calls, current);
  const earlier = callId === undefined ? formerOwner(calls, former) : undefined;
  if (earlier !== undefined) {
    return { ...earlier, secrets: await openSecrets(secrets, ownNumber, earlier.owners) };
  }
  return current && { owner: current, callId, secrets: await openSecrets(secrets, ownNumber, [current]) };
}

/** The owner of the number when the call began; undefined for a call that none of the former owners knows. */
function formerOwner(calls: ReportedCalls, former: readonly FormerOwner[]) {
  const owner = former.find((candidate) => reportedFor(calls, candidate) !== undefined);
  const callId = owner && reportedFor(calls, owner);
  if (owner === undefined || callId === undefined) {
    return undefined;
  }
  const startedAt = timestamp(new Date(decodeTime(callId.slice(0, 26))));
  const since = former.filter(
    ({ organizationId, removedAt }) => organizationId === owner.organizationId && removedAt >= startedAt,
  );
  return { owner, callId, owners: since.length > 0 ? since : [owner] };
}
