import { timestamp } from '../../../shared/kernel/time.ts';
import type { Action, Stored, TableWriter } from '../../../shared/table/table.ts';

/** Whether the notifications of a source were stored already. */
export function isMarked({ attributes }: Pick<Stored<unknown>, 'attributes'>): boolean {
  return attributes?.notifiedAt !== undefined;
}

/** The action that marks a source in the transaction that stores its notifications. It fails if the source is gone or marked. */
export function markAction(table: TableWriter, { key }: Stored<unknown>, now: Date): Action {
  return table.updateAction(key, {
    update: 'SET notifiedAt = :now',
    when: 'attribute_exists(pk) AND attribute_not_exists(notifiedAt)',
    values: { now: timestamp(now) },
  });
}
