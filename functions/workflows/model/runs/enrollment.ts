import type { Key } from '../../../../shared/table/key.ts';
import type { Action, Stored, TableWriter } from '../../../../shared/table/table.ts';
import type { TriggerRow } from '../definition/triggers.ts';
import type { Enrollment } from '../triggers/decide-starts.ts';
import { findOwnStep } from './operation-table.ts';
import type { Run } from './run.ts';

/**
 * Says whether a contact may enter a workflow again, in native attributes: `running`, the number of runs that have not ended,
 * and `lastStarts`, when the last ones began. Stored in the partition of the contact, and deleted with it.
 */
export const enrollmentKey = (contactId: string, workflowId: string): Key<never> => ({
  partition: ['CONTACT', contactId],
  sort: ['ENROLMENT', workflowId],
});

/** Counts a run out of its contact's running ones when it ends, and in when it goes on after its end. */
export function enrollmentAction(table: TableWriter, was: Run, run: Run): Action[] {
  const [wasActive, isActive] = [was, run].map(({ finishedAt }) => finishedAt === undefined);
  if (run.topic === 'contact.deleted' || wasActive === isActive) {
    return [];
  }
  return [
    table.updateAction(enrollmentKey(run.contactId, run.workflowId), {
      update: 'ADD running :more',
      values: { more: isActive ? 1 : -1 },
    }),
  ];
}

/** Reads the native attributes. */
export function enrollmentIn(stored: Stored<never> | undefined): Enrollment | undefined {
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
export function enrollAction(
  table: TableWriter,
  { workflowId, reentry }: TriggerRow,
  contactId: string,
  was: Enrollment | undefined,
  is: Enrollment,
): Action {
  const isEnd = findOwnStep(table, workflowId)?.endsRun === true;
  const isSame =
    reentry === 'after_finish' ? 'lastStarts = :was AND running = :running' : 'lastStarts = :was';
  return table.updateAction(enrollmentKey(contactId, workflowId), {
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
