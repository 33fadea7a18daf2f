import type { Space } from './key.ts';
import type { Action, Stored, TableWriter } from './table.ts';

/**
 * The action that fails if a record changed since it was read, and makes whoever else has read it read it again: unlike a condition, it
 * also fails those who write the record afterwards on the strength of what they read before.
 */
export function unchanged<S extends Space>(
  table: TableWriter<S>,
  { key, version }: Stored<unknown, S>,
): Action {
  return table.updateAction(key, {
    update: 'ADD version :one',
    when: 'version = :version',
    values: { one: 1, version },
  });
}
