import type { Key } from '../../../../shared/table/key.ts';
import type { Action, TableWriter } from '../../../../shared/table/table.ts';
import type { Run } from './run.ts';

/**
 * Says whether a contact may enter a workflow again, in native attributes: `running`, the number of runs that have not ended,
 * and `lastStarts`, when the last ones began. Stored in the partition of the contact, and deleted with it.
 */
export const enrolmentKey = (contactId: string, workflowId: string): Key<never> => ({
  partition: ['CONTACT', contactId],
  sort: ['ENROLMENT', workflowId],
});

/** Counts a run out of its contact's running ones when it ends, and in when it goes on after its end. */
export function enrolmentAction(table: TableWriter, was: Run, run: Run): Action[] {
  const [wasActive, isActive] = [was, run].map(({ finishedAt }) => finishedAt === undefined);
  if (run.topic === 'contact.deleted' || wasActive === isActive) {
    return [];
  }
  return [
    table.updateAction(enrolmentKey(run.contactId, run.workflowId), {
      update: 'ADD running :more',
      values: { more: isActive ? 1 : -1 },
    }),
  ];
}
