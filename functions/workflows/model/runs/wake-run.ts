import type { DueEntry } from '../../../../shared/events/due-entry.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { timestamp } from '../../../../shared/kernel/time.ts';
import type { Action, TableWriter } from '../../../../shared/table/table.ts';
import { runDueTime } from '../../../../shared/workflows/due-run.ts';
import { runKey } from './run.ts';
import { readyAction } from './run-actions.ts';

/**
 * Has the queue go on with a run whose time has come. Nothing is written into the run: its record says which of its waits are over, and if
 * it moves at this moment, it has an entry for its next one.
 */
export async function wakeRun(
  table: TableWriter,
  { id }: DueEntry,
  { now, newId, end }: ClockAndIds & { readonly end: Action },
): Promise<'woken' | 'gone'> {
  const run = await table.read(runKey(id));
  const dueAt = run && runDueTime(run.data);
  const isDue = dueAt !== undefined && dueAt <= timestamp(now);
  await table.commit([end, ...(isDue ? [readyAction(table, id, { now, newId }, dueAt)] : [])]);
  return isDue ? 'woken' : 'gone';
}
