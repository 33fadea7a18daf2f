import type { Key } from '../table/key.ts';
import type { Action, Stored, TableWriter } from '../table/table.ts';
import type { User } from './user.ts';

/** Whether a change of a user may change what somebody sees or gets. */
export function changesVisibility(before: User, after: User): boolean {
  return (
    before.accessRole !== after.accessRole ||
    before.disabled !== after.disabled ||
    before.departmentIds.join() !== after.departmentIds.join()
  );
}

/**
 * The action that counts such a change in the transaction that makes it. A process that caches users compares the count, and so never
 * shows anything by a role or department that has been taken away.
 */
export function userChangeAction(table: TableWriter): Action {
  return table.updateAction(userChangesKey(), { update: 'ADD userChanges :one', values: { one: 1 } });
}

/** How often users have changed, by the record at the key; undefined if there is none. */
export function userChangesIn(record: Pick<Stored<unknown>, 'attributes'> | undefined): number {
  return Number(record?.attributes?.userChanges ?? 0);
}

/** Beside the connections for live events: one read shows who listens and whether cached users are current. */
export const userChangesKey = (): Key<never> => ({ partition: ['CONNECTIONS'], sort: ['USERS'] });
