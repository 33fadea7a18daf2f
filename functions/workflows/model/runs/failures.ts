import type { NotificationRequest } from '../../../../shared/notifications/notification-request.ts';
import type { Key } from '../../../../shared/table/key.ts';
import type { Action, TableReader, TableWriter } from '../../../../shared/table/table.ts';
import { workflowKey } from '../definition/workflow.ts';
import type { Run } from './run.ts';
import { RunConflict } from './run-conflict.ts';

/** After this many failed runs of a workflow in a row, its owner is notified. */
export const failuresInARow = 20;

/** The runs of a workflow that have failed since the last one that finished. */
export const failuresKey = (workflowId: string): Key<never> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['FAILURES'],
});

interface Failing {
  readonly actions: readonly Action[];
  /** Whom the end of the run notifies. */
  readonly notify?: NotificationRequest | undefined;
}

/** The runs of a workflow that have failed in a row. */
export interface Failures {
  /** Up to `failuresInARow`. */
  readonly inARow: number;
  /** The name of the workflow, if one more failure would notify its owner; undefined otherwise, and if the workflow is gone. */
  readonly name?: string | undefined;
}

export const noFailures: Failures = { inARow: 0 };

/** How many runs of the workflow have failed in a row; with its name, if one more would notify the owner. */
export async function readFailures(table: TableReader, workflowId: string): Promise<Failures> {
  const inARow = Number((await table.read(failuresKey(workflowId)))?.attributes?.inARow ?? 0);
  return inARow + 1 === failuresInARow
    ? { inARow, name: (await table.read(workflowKey(workflowId)))?.data.name }
    : { inARow };
}

/**
 * The actions that count an ending run among the failures in a row, and whom that notifies: the owner, once for each row of
 * failures. After that, further ones are not counted; a run that finishes ends the row.
 * @param failures what `readFailures` said.
 */
export function failureActions(
  table: TableWriter,
  was: Run,
  run: Run,
  { inARow: failures, name }: Failures,
): Failing {
  const key = failuresKey(run.workflowId);
  const isEnd = was.finishedAt === undefined && run.finishedAt !== undefined;
  if (isEnd && run.status === 'finished') {
    return { actions: failures === 0 ? [] : [table.delete(key)] };
  }
  if (!isEnd || run.status === 'cancelled' || failures >= failuresInARow) {
    return { actions: [] };
  }
  const action = table.updateAction(key, {
    update: 'ADD inARow :one',
    // Two that fail at the same time must not both be the last but one: the other one looks again.
    when: failures === 0 ? 'attribute_not_exists(inARow)' : 'inARow = :failures',
    values: { one: 1, ...(failures > 0 && { failures }) },
    otherwise: () => new RunConflict(),
  });
  return {
    actions: [action],
    notify:
      failures + 1 === failuresInARow && name !== undefined ? failureNotification(run, name) : undefined,
  };
}

function failureNotification({ workflowId, userId, reason }: Run, name: string): NotificationRequest {
  return {
    type: 'workflow_failed',
    to: [userId],
    cause: workflowKey(workflowId),
    // The name last: it may be long, and titles are cut.
    title: `${failuresInARow} runs in a row have failed: ${name}`,
    message: reason ?? '',
  };
}
