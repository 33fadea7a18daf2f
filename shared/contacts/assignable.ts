import type { Caller } from '../kernel/caller.ts';
import { Failure } from '../kernel/failure.ts';
import { keys } from '../table/keys.ts';
import type { Step, TableWriter } from '../table/table.ts';
import type { StoredContact } from './contact.ts';
import type { ContactFields } from './contact-fields.ts';

/**
 * Steps that require the owner and the assignees asked for to be users of the organization when the transaction commits.
 * Those the contact had already, and the caller, need no check.
 */
export function assignableSteps(
  table: TableWriter,
  before: StoredContact | undefined,
  { owner, assignees = [] }: Pick<ContactFields, 'owner' | 'assignees'>,
  caller: Omit<Caller, 'role'>,
): Step[] {
  const isAtHome = caller.organizationId === caller.homeOrganizationId;
  const known = new Set([isAtHome ? caller.userId : undefined, before?.owner, ...(before?.assignees ?? [])]);
  const asked = new Map(assignees.map((userId, index) => [userId, `assignees[${index}]`]));
  if (owner) {
    asked.set(owner, 'owner');
  }
  return [...asked]
    .filter(([userId]) => !known.has(userId))
    .map(([userId, field]) =>
      table.require(keys.user(userId), {
        when: 'attribute_exists(pk)',
        otherwise: () => new Failure('INVALID', `${field} must be the id of a user of this organization`),
      }),
    );
}
