import type { Key, Range } from '../../../../shared/table/key.ts';
import type { Action, TableReader, TableWriter } from '../../../../shared/table/table.ts';
import type { Run } from './run.ts';

/**
 * Says whether a contact may enter a workflow again, in native attributes: `running`, the number of runs that have not ended,
 * and `lastStarts`, when the last ones began. No running run has an id before `runningFrom`; without it, this id is not known. Stored in
 * the partition of the contact, and deleted with it.
 */
export const enrolmentKey = (contactId: string, workflowId: string): Key<never> => ({
  partition: ['CONTACT', contactId],
  sort: ['ENROLMENT', workflowId],
});

const enrolmentRange = (contactId: string): Range<never> => ({
  partition: ['CONTACT', contactId],
  under: ['ENROLMENT'],
});

/**
 * The id before which no run of the contact is running or waiting, of these workflows or of all; undefined if none is, and empty if it is
 * not known.
 */
export async function runningFrom(
  table: TableReader,
  contactId: string,
  workflowIds: readonly string[] | undefined,
): Promise<string | undefined> {
  const rows = await table.list(enrolmentRange(contactId));
  return rows
    .filter(({ key }) => workflowIds === undefined || workflowIds.includes(key.sort[1] ?? ''))
    .filter(({ attributes }) => Number(attributes?.running ?? 0) > 0)
    .map(({ attributes }) => String(attributes?.runningFrom ?? ''))
    .sort()[0];
}

/** Counts a run out of its contact's running ones when it ends, and in when it goes on after its end. */
export function enrolmentAction(table: TableWriter, was: Run, run: Run): Action[] {
  const [wasActive, isActive] = [was, run].map(({ finishedAt }) => finishedAt === undefined);
  if (run.topic === 'contact.deleted' || wasActive === isActive) {
    return [];
  }
  return [
    table.updateAction(enrolmentKey(run.contactId, run.workflowId), {
      // One that goes on after its end may be older than those that were running.
      update: isActive ? 'ADD running :more REMOVE runningFrom' : 'ADD running :more',
      values: { more: isActive ? 1 : -1 },
    }),
  ];
}
