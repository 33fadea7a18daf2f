import { targetsKey } from '../../../shared/jobs/job.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** A contact that a job works through. `row` counts from 1. */
export interface ContactTarget {
  readonly row: number;
  readonly contactId: string;
}

/** Contacts in each part of the list. */
export const targetsAtOnce = 1_000;

/** The contacts of a job after this row, in their order. */
export async function* readTargets(
  table: TableReader,
  jobId: string,
  after: number,
): AsyncGenerator<ContactTarget> {
  for (let part = Math.floor(after / targetsAtOnce); ; part += 1) {
    const contactIds = (await table.read(targetsKey(jobId, part)))?.data ?? [];
    for (const [index, contactId] of contactIds.entries()) {
      const row = part * targetsAtOnce + index + 1;
      if (row > after) {
        yield { row, contactId };
      }
    }
    if (contactIds.length < targetsAtOnce) {
      return;
    }
  }
}
