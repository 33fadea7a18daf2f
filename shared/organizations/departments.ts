import { Failure, notFound } from '../kernel/failure.ts';
import { digestOf } from '../table/digest.ts';
import type { Key } from '../table/key.ts';
import type { Step, Stored, TableWriter } from '../table/table.ts';
import type { Department } from './organization.ts';
import { departmentKey, departmentNameKey } from './organization.ts';

/** The form in which names are compared. Lower case may decompose a character, so it is normalized twice. */
function normalForm(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC');
}

export function nameLockKey(name: string): Key<{ departmentId: string }> {
  return departmentNameKey(digestOf(normalForm(name)));
}

/** The step that reserves a name for a department. @throws a 409 `Failure` when another department of the organization has it. */
function nameStep(table: TableWriter, { _id, name }: Department): Step {
  return table.add(
    nameLockKey(name),
    { departmentId: _id },
    { otherwise: () => new Failure('CONFLICT', 'Another department already has this name.') },
  );
}

export function newDepartmentSteps(table: TableWriter, department: Department): Step[] {
  return [nameStep(table, department), table.add(departmentKey(department._id), department)];
}

/**
 * The steps for a user who joins departments: each must still exist, and nobody may delete it as empty at the same moment. Users
 * who join at once never conflict. `otherwise` is the error if one does not exist.
 */
export function joinSteps(
  table: TableWriter,
  departmentIds: readonly string[],
  otherwise: () => Error = () => notFound('Department'),
): Step[] {
  return departmentIds.map((id) =>
    table.updateStep(departmentKey(id), {
      update: 'ADD version :one',
      when: 'attribute_exists(pk)',
      values: { one: 1 },
      otherwise,
    }),
  );
}

/** The steps that rename a department. @throws as `nameStep`. */
export function renameSteps(table: TableWriter, before: Stored<Department>, after: Department): Step[] {
  const isOther = normalForm(before.data.name) !== normalForm(after.name);
  return [
    // First, so that a department renamed meanwhile is read again before its name counts as taken.
    table.replace(before, after),
    ...(isOther ? [table.delete(nameLockKey(before.data.name)), nameStep(table, after)] : []),
  ];
}
