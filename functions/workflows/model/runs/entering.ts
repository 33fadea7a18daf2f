import type { Action, Stored, TableWriter } from '../../../../shared/table/table.ts';
import type { TriggerRow } from '../definition/trigger-rows.ts';
import type { Enrolment } from '../triggers/guards.ts';
import { enrolmentKey } from './enrolment.ts';
import { ownStepOf } from './operation-table.ts';

/** What the native attributes say. */
export function enrolmentIn(stored: Stored<never> | undefined): Enrolment | undefined {
  if (stored === undefined) {
    return undefined;
  }
  const {
    running = 0,
    lastStarts = '',
    runningFrom,
  } = (stored.attributes ?? {}) as {
    running?: number;
    lastStarts?: string;
    runningFrom?: string;
  };
  return { running, lastStarts: lastStarts === '' ? [] : lastStarts.split(' '), runningFrom };
}

/**
 * Writes the record that one start more has made, unless another start came first, or, where that matters, an end. A run of the workflow
 * that ends with the step that starts it is counted out here.
 */
export function enrolAction(
  table: TableWriter,
  { workflowId, reentry }: TriggerRow,
  contactId: string,
  was: Enrolment | undefined,
  is: Enrolment,
): Action {
  const isEnd = ownStepOf(table, workflowId)?.endsRun === true;
  const isNewFrom = is.runningFrom !== was?.runningFrom;
  // Which run is the first of the running ones depends on those that end and go on meanwhile, too.
  const isRunning = reentry === 'after_finish' || isNewFrom;
  const wasFrom = isNewFrom ? was?.runningFrom : undefined;
  const isSame = [
    'lastStarts = :was',
    ...(isRunning ? ['running = :running'] : []),
    ...(wasFrom === undefined ? [] : ['runningFrom = :wasFrom']),
  ];
  return table.updateAction(enrolmentKey(contactId, workflowId), {
    update: `SET lastStarts = :is${isNewFrom ? ', runningFrom = :from' : ''} ADD running :more`,
    when: was === undefined ? 'attribute_not_exists(lastStarts)' : isSame.join(' AND '),
    values: {
      is: is.lastStarts.join(' '),
      more: is.running - (was?.running ?? 0) - (isEnd ? 1 : 0),
      ...(isNewFrom && is.runningFrom !== undefined && { from: is.runningFrom }),
      ...(was !== undefined && { was: was.lastStarts.join(' ') }),
      ...(was !== undefined && isRunning && { running: was.running }),
      ...(wasFrom !== undefined && { wasFrom }),
    },
  });
}
