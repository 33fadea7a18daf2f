import type { Ports } from '../../../shared/kernel/operation.ts';
import { remember } from '../../../shared/kernel/remember.ts';
import { type NumberOwner, numberOwner } from '../../../shared/organizations/phone-assignments.ts';
import type { IncomingCall } from './incoming-call.ts';
import { type Reception, receptionOf } from './receive-call.ts';

/** Numbers whose owners a warm process remembers. */
const capacity = 500;

const remembered = new Map<string, NumberOwner>();

/**
 * The owner of the organization's number, undefined if nobody has it, and what the owner's organization knows of the call, if this
 * process has seen the number before: then both are read in one round trip, and the latter counts only if the owner is still the same.
 */
export async function ownerOfNumber(
  { identity, organizations }: Ports<{ identity: 'read'; organizations: 'write' }>,
  incoming: IncomingCall,
): Promise<{ owner: NumberOwner; reception: Reception | undefined } | undefined> {
  const { own } = incoming;
  const last = remembered.get(own);
  const [owner, reception] = await Promise.all([
    numberOwner(identity, own),
    last && receptionOf(organizations(last.organizationId), last, incoming),
  ]);
  if (owner === undefined) {
    remembered.delete(own);
    return undefined;
  }
  // Without its secret, which must not stay longer than a request.
  const { secret: _, ...known } = owner;
  remember(remembered, own, known, capacity);
  return { owner, reception: last !== undefined && isSame(last, owner) ? reception : undefined };
}

function isSame(one: NumberOwner, other: NumberOwner): boolean {
  return (
    one.organizationId === other.organizationId &&
    one.userId === other.userId &&
    one.provider === other.provider
  );
}
