import type { Key } from '../../../../shared/table/key.ts';
import type { Step, TableWriter } from '../../../../shared/table/table.ts';
import type { Run } from './run.ts';

/**
 * What says whether a contact may enter a workflow again, in native attributes: `running`, how many runs are, and `lastStarts`, when the
 * last ones began. It lies with the contact, and goes with it.
 */
export const enrolmentKey = (contactId: string, workflowId: string): Key<never> => ({
  partition: ['CONTACT', contactId],
  sort: ['ENROLMENT', workflowId],
});

/** Counts a run out of its contact's running ones when it ends, and in when it goes on after its end. */
export function enrolmentStep(table: TableWriter, was: Run, run: Run): Step[] {
  const [wasActive, isActive] = [was, run].map(({ finishedAt }) => finishedAt === undefined);
  if (run.topic === 'contact.deleted' || wasActive === isActive) {
    return [];
  }
  return [
    table.updateStep(enrolmentKey(run.contactId, run.workflowId), {
      update: 'ADD running :more',
      values: { more: isActive ? 1 : -1 },
    }),
  ];
}
