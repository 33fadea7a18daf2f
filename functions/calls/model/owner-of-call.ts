import { decodeTime } from 'ulid';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { type Found, ownerOfNumber } from '../../../shared/organizations/owner-of-number.ts';
import {
  type FormerOwner,
  type NumberOwners,
  numberOwners,
  secretsOf,
} from '../../../shared/organizations/phone-assignments.ts';
import { type CallLookup, type CallLookupReads, knownCall, lookUpCall } from './call-lookup.ts';
import type { IncomingCall } from './incoming-call.ts';
import { type ReportedCalls, reportedFor } from './reported-call.ts';

type Reading = Ports<{ identity: 'read'; organizations: 'write'; secrets: 'open' }> & { readonly now: Date };

/** The organization and user of a reported call. */
export interface OwnerOfCall extends Found<CallLookup> {
  /** One of them signs the report; none if anybody may report. */
  readonly secrets: readonly string[];
}

/**
 * The owner of the number of a call, or the one it had when the call began: if the number is removed during the call, and perhaps assigned
 * in another organization, the call stays where it began. Undefined for a new call with a number that nobody has.
 */
export async function ownerOfCall(
  ports: Reading,
  incoming: IncomingCall,
  reads: CallLookupReads,
): Promise<OwnerOfCall | undefined> {
  let owners: NumberOwners | undefined;
  const found = await ownerOfNumber(
    ports,
    incoming.own,
    (table, owner, isOwner) => lookUpCall(table, owner, incoming, reads, isOwner),
    async (identity, phoneNumber) => {
      owners = await numberOwners(identity, phoneNumber, ports.now);
      return owners.current;
    },
  );
  const former =
    found?.known.callId === undefined
      ? await formerOwner(ports, incoming, owners?.former ?? [], await reads.calls)
      : undefined;
  return (
    former ?? (found && { ...found, secrets: await secretsOf(ports.secrets, incoming.own, [found.owner]) })
  );
}

/** The owner of the number when the call began; undefined for a call that none of the former owners knows. */
async function formerOwner(
  { organizations, secrets }: Reading,
  { own }: IncomingCall,
  former: readonly FormerOwner[],
  calls: ReportedCalls,
): Promise<OwnerOfCall | undefined> {
  const owner = former.find((one) => reportedFor(calls, one) !== undefined);
  const callId = owner && reportedFor(calls, owner);
  if (owner === undefined || callId === undefined) {
    return undefined;
  }
  const startedAt = timestamp(new Date(decodeTime(callId.slice(0, 26))));
  const since = former.filter(
    ({ organizationId, removedAt }) => organizationId === owner.organizationId && removedAt >= startedAt,
  );
  return {
    owner,
    table: organizations(owner.organizationId),
    known: knownCall(callId),
    secrets: await secretsOf(secrets, own, since.length > 0 ? since : [owner]),
  };
}
