import type { Ports } from '../kernel/operation.ts';
import { remember } from '../kernel/remember.ts';
import type { TableWriter } from '../table/table.ts';
import { type NumberOwner, numberOwner } from './phone-assignments.ts';

/** Numbers whose owners a warm process caches. */
const capacity = 500;

const remembered = new Map<string, Identified>();

/** The owner without the secret, which must not stay longer than a request. */
type Identified = Omit<NumberOwner, 'secret'>;

/** The owner of a number, and what their organization knows. */
export interface Found<Known> {
  readonly owner: NumberOwner;
  /** The table of the organization. */
  readonly table: TableWriter;
  readonly known: Known;
}

/**
 * The owner of an active phone number (E.164), undefined if nobody has it, and what `read` finds in the owner's organization. If this
 * process has seen the number before, both are read in one round trip, and the latter counts only if the owner is still the same.
 * @param read is told whether it is certain that this is the owner.
 * @param ownerIn reads the owner.
 */
export async function ownerOfNumber<Known>(
  { identity, organizations }: Ports<{ identity: 'read'; organizations: 'write' }>,
  phoneNumber: string,
  read: (table: TableWriter, owner: Identified, isOwner: boolean) => Promise<Known>,
  ownerIn = numberOwner,
): Promise<Found<Known> | undefined> {
  const last = remembered.get(phoneNumber);
  const early = last && read(organizations(last.organizationId), last, false);
  early?.catch(() => undefined); // Used only if the owner is still the same.
  const owner = await ownerIn(identity, phoneNumber);
  if (owner === undefined) {
    remembered.delete(phoneNumber);
    return undefined;
  }
  const { secret: _, ...identified } = owner;
  remember(remembered, phoneNumber, identified, capacity);
  const table = organizations(owner.organizationId);
  const isSame = last !== undefined && early !== undefined && isSameOwner(last, owner);
  return { owner, table, known: await (isSame ? early : read(table, identified, true)) };
}

function isSameOwner(one: Identified, other: Identified): boolean {
  return (
    one.organizationId === other.organizationId &&
    one.userId === other.userId &&
    one.provider === other.provider
  );
}
