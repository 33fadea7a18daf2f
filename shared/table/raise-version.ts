import type { Space } from './key.ts';
import type { Action, Stored, TableWriter } from './table.ts';

/**
 * The action that raises a record's version, if the record has not changed since it was read. `require` with `ifVersion` is only a
 * condition; this also fails those who write the record afterwards on the strength of what they read before.
 */
export function raiseVersion<S extends Space>(
  table: TableWriter<S>,
  { key, version }: Stored<unknown, S>,
): Action {
  return table.updateAction(key, {
    update: 'ADD version :one',
    when: 'version = :version',
    values: { one: 1, version },
  });
}
