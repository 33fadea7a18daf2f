import { cancelAction } from '../../../../shared/events/due-entry.ts';
import type { ReminderTables } from '../../../../shared/notes/reminder.ts';
import type { Key } from '../../../../shared/table/key.ts';
import { type DueRun, dueRun } from '../../../../shared/workflows/due-run.ts';
import { runEntryKey, runListFor } from '../../../../shared/workflows/run-lists.ts';
import type { RunRecord } from '../../../../shared/workflows/run-response.ts';
import {
  statisticsActions,
  type WaitingRun,
  waitingIn,
} from '../../../../shared/workflows/run-statistics.ts';

/** The parts of a run that lead to rows elsewhere. */
type ErasedRun = RunRecord & DueRun & WaitingRun;

/**
 * Deletes a run of a workflow with its entries in the list of the workflow and among what is due; of one that has not ended, the
 * workflow no longer counts what waits. All in one transaction: a step of the run that is under way either comes before it, or does not
 * happen. What the statistics have counted stays. Does nothing the second time.
 */
export async function eraseRun({ table, platform }: ReminderTables, key: Key<ErasedRun>): Promise<void> {
  await table.optimistically(async () => {
    const record = await table.read(key);
    if (record === undefined) {
      return;
    }
    const { data: run, version: ifVersion } = record;
    const due = dueRun(table.organizationId, run);
    const waiting = [...waitingIn(run)].map(([nodeId, count]) => [nodeId, { waiting: -count }] as const);
    await table.commit([
      table.delete(key, { ifVersion }),
      table.delete(runEntryKey(run.workflowId, runListFor(run.status), run._id)),
      ...statisticsActions(table, run, new Map(waiting)),
      ...(due === undefined ? [] : [cancelAction(platform, due)]),
    ]);
  });
}
