import type { StoredContact } from '../contacts/contact.ts';
import type { ContactChangeFields } from '../contacts/contact-fields.ts';
import { type Caller, userHere } from '../kernel/caller.ts';
import { requiredUserActions } from '../organizations/required-users.ts';
import type { Action, TableWriter } from '../table/table.ts';

/**
 * Actions that require a new owner and new assignees to be users of the organization when the transaction commits. Former ones and
 * the caller need no check.
 */
export function assignableActions(
  table: TableWriter,
  before: StoredContact | undefined,
  {
    owner,
    assignees = [],
    addAssignees = [],
  }: Pick<ContactChangeFields, 'owner' | 'assignees' | 'addAssignees'>,
  caller: Omit<Caller, 'role'>,
): Action[] {
  const known = new Set([userHere(caller), before?.owner, ...(before?.assignees ?? [])]);
  const asked = new Map<string, string>([
    ...addAssignees.map((userId, index) => [userId, `addAssignees[${index}]`] as const),
    ...assignees.map((userId, index) => [userId, `assignees[${index}]`] as const),
  ]);
  if (owner) {
    asked.set(owner, 'owner');
  }
  return requiredUserActions(table, asked, known);
}
