import { Failure, notFound } from '../kernel/failure.ts';
import { digestOf } from '../table/digest.ts';
import type { Key } from '../table/key.ts';
import type { Step, Stored, TableWriter } from '../table/table.ts';
import type { Department } from './organization.ts';
import { departmentKey, departmentNameKey } from './organization.ts';

/** A name as names are compared. Lower case may break the composition of a character; hence normalized twice. */
function normalForm(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** The lock of a name. */
export function nameLockKey(name: string): Key<{ departmentId: string }> {
  return departmentNameKey(digestOf(normalForm(name)));
}

/** The step that takes a name for a department. @throws a 409 `Failure` when another one of the organization has it. */
function nameStep(table: TableWriter, { _id, name }: Department): Step {
  return table.add(
    nameLockKey(name),
    { departmentId: _id },
    { otherwise: () => new Failure('CONFLICT', 'Another department has this name.') },
  );
}

/** The steps that make a department. */
export function newDepartmentSteps(table: TableWriter, department: Department): Step[] {
  return [nameStep(table, department), table.add(departmentKey(department._id), department)];
}

/**
 * The steps beside a user who comes into departments: each must be there still, and whoever is about to delete it because
 * nobody is in it must look again. Joining never conflicts with joining.
 */
export function joinSteps(table: TableWriter, departmentIds: readonly string[]): Step[] {
  return departmentIds.map((id) =>
    table.updateStep(departmentKey(id), {
      update: 'ADD version :one',
      when: 'attribute_exists(pk)',
      values: { one: 1 },
      otherwise: () => notFound('Department'),
    }),
  );
}

/** The steps that give a department the name of `after`. @throws as `nameStep`. */
export function renameSteps(table: TableWriter, before: Stored<Department>, after: Department): Step[] {
  const isOther = normalForm(before.data.name) !== normalForm(after.name);
  return [
    // First, so that a department renamed meanwhile is read again before a name counts as taken.
    table.replace(before, after),
    ...(isOther ? [table.delete(nameLockKey(before.data.name)), nameStep(table, after)] : []),
  ];
}
