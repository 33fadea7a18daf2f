import type { Ports } from '../../../shared/kernel/operation.ts';
import type { Found } from '../../../shared/organizations/owner-of-number.ts';
import { formerOwnerRange } from '../../../shared/organizations/phone-assignments.ts';
import type { IncomingCall } from './incoming-call.ts';
import { type Reception, receptionOf } from './receive-call.ts';

/** Who had a number that has been removed since the call began, and what is known of the call; undefined for a call that is not known. */
export async function formerOwnerOfCall(
  { identity, organizations }: Ports<{ identity: 'read'; organizations: 'write' }>,
  incoming: IncomingCall,
): Promise<Found<Reception> | undefined> {
  const owners = await identity.list(formerOwnerRange(incoming.own));
  const all = await Promise.all(
    owners.map(async ({ data: owner }) => {
      const table = organizations(owner.organizationId);
      return { owner, table, known: await receptionOf(table, owner, incoming) };
    }),
  );
  return all.find(({ known }) => known.earlier !== undefined);
}
