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
  const { running = 0, lastStarts = '' } = (stored.attributes ?? {}) as {
    running?: number;
    lastStarts?: string;
  };
  return { running, lastStarts: lastStarts === '' ? [] : lastStarts.split(' ') };
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
  const isSame =
    reentry === 'after_finish' ? 'lastStarts = :was AND running = :running' : 'lastStarts = :was';
  return table.updateAction(enrolmentKey(contactId, workflowId), {
    update: 'SET lastStarts = :is ADD running :more',
    when: was === undefined ? 'attribute_not_exists(lastStarts)' : isSame,
    values: {
      is: is.lastStarts.join(' '),
      more: is.running - (was?.running ?? 0) - (isEnd ? 1 : 0),
      ...(was !== undefined && { was: was.lastStarts.join(' ') }),
      ...(was !== undefined && reentry === 'after_finish' && { running: was.running }),
    },
  });
}
