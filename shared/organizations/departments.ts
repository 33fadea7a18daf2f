import { Failure } from '../kernel/failure.ts';
import { toDigest } from '../table/digest.ts';
import type { Key } from '../table/key.ts';
import type { Action, Stored, TableWriter } from '../table/table.ts';
import type { Department } from './organization.ts';
import { departmentKey, departmentNameKey } from './organization.ts';

/** Departments that a user may be in: joining each takes an action of the transaction. */
export const departmentLimit = 50;

/** The form in which names are compared. Lower case may decompose a character, so it is normalized twice. */
function normalForm(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC');
}

export function nameLockKey(name: string): Key<{ departmentId: string }> {
  return departmentNameKey(toDigest(normalForm(name)));
}

/** The action that reserves a name for a department. @throws a 409 `Failure` when another department of the organization has it. */
function nameAction(table: TableWriter, { _id, name }: Department): Action {
  return table.add(
    nameLockKey(name),
    { departmentId: _id },
    { otherwise: () => new Failure('CONFLICT', 'Another department already has this name.') },
  );
}

export function newDepartmentActions(table: TableWriter, department: Department): Action[] {
  return [nameAction(table, department), table.add(departmentKey(department._id), department)];
}

/** The 404 for a department in the field `departmentIds` of a request that the organization does not have. */
export function departmentNotFound(departmentIds: readonly string[], id = ''): Failure {
  const field = `departmentIds[${departmentIds.indexOf(id)}]`;
  return new Failure('NOT_FOUND', `${field} is not the id of a department of this organization`);
}

/**
 * The actions for a user who joins departments: each must still exist, and nobody may delete it as empty at the same moment. Users
 * who join at once never conflict. `otherwise` is the error if one does not exist.
 */
export function joinActions(
  table: TableWriter,
  departmentIds: readonly string[],
  otherwise: (id: string) => Error = (id) => departmentNotFound(departmentIds, id),
): Action[] {
  return departmentIds.map((id) =>
    table.updateAction(departmentKey(id), {
      update: 'ADD version :one',
      when: 'attribute_exists(pk)',
      values: { one: 1 },
      otherwise: () => otherwise(id),
    }),
  );
}

/** The actions that rename a department. @throws as `nameAction`. */
export function renameActions(table: TableWriter, before: Stored<Department>, after: Department): Action[] {
  const isOther = normalForm(before.data.name) !== normalForm(after.name);
  return [
    // First, so that a department renamed meanwhile is read again before its name counts as taken.
    table.replace(before, after),
    ...(isOther ? [table.delete(nameLockKey(before.data.name)), nameAction(table, after)] : []),
  ];
}
