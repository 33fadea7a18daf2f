import { contactKey } from '../../../shared/contacts/contact.ts';
import { formerRange } from '../../../shared/jobs/former-values.ts';
import { type ResultRow, resultRange } from '../../../shared/jobs/job.ts';
import { type JobRecord, recordJob } from '../../../shared/jobs/record-job.ts';
import { ContactChanged, type RecordContext, type RecordOutcome } from '../../../shared/jobs/run-record.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import { undoneBy } from './undone.ts';

interface WrittenContact extends JobRecord {
  readonly contactId: string;
  /** It was refused, perhaps after an earlier step. */
  readonly isRefused: boolean;
}

/** Kept contacts that the result of a revert names: every response with the job has them. */
const mostKept = 500;

/** Tries for a contact that somebody else changes at the same moment. */
const tries = 10;

/** Takes back what a job has done to its contacts, one by one. */
export const reverts = recordJob({
  isRevert: true,
  endsAs: 'reverted',
  total: async () => 0,
  read: ({ table, job }, after) => readWritten(table, job._id, after),
  run: revertContact,
  async finish({ table, job }, { deleted = 0, restored = 0 }) {
    const rows = (await table.list(resultRange(job._id, 'REVERT'))).map(({ data }) => data);
    const kept = new Map(
      rows.flatMap(({ contactId = '', reason, status }) =>
        reason === undefined || status === 'skipped' ? [] : [[contactId, reason]],
      ),
    );
    // A contact with several records may have been deleted by the first of them.
    for (const { contactId = '' } of rows.filter(({ status }) => status === 'deleted')) {
      kept.delete(contactId);
    }
    return {
      ...{ deleted, restored },
      kept: [...kept].slice(0, mostKept).map(([contactId, reason]) => ({ contactId, reason })),
    };
  },
});

/** The contacts that a job has written, in the order of its records. */
async function* readWritten(
  table: TableReader,
  jobId: string,
  after: number,
): AsyncGenerator<WrittenContact> {
  let cursor: string | undefined;
  do {
    const page = await table.page(resultRange(jobId), { limit: 500, cursor, consistent: true });
    for (const { data } of page.records) {
      const { row, contactId } = data;
      if (row > after && contactId !== undefined && isWritten(data)) {
        yield { row, contactId, isRefused: data.status === 'failed' };
      }
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** A record that failed may have been written by an earlier step. */
const isWritten = ({ status }: ResultRow) => status !== 'skipped';

async function revertContact(
  written: WrittenContact,
  record: RecordContext<unknown>,
): Promise<RecordOutcome | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptRevert(written, record);
    } catch (error) {
      if (!(error instanceof ContactChanged) || attempt >= tries) {
        throw error;
      }
    }
  }
}

const changedSince = (fields: readonly string[]) => `changed since: ${fields.join(', ')}`;

async function attemptRevert(
  { contactId, isRefused }: WrittenContact,
  { table, job, perform }: RecordContext<unknown>,
): Promise<RecordOutcome | undefined> {
  const [contact, written] = await Promise.all([
    table.read(contactKey(contactId)),
    table.list(formerRange(contactId, job._id)),
  ]);
  if (contact === undefined) {
    return isRefused ? { status: 'skipped' } : { status: 'kept', reason: 'deleted' };
  }
  if (written.length === 0) {
    // Another record of the same contact has taken it back, or it was never written.
    return { status: 'skipped' };
  }
  const path = { id: contactId };
  const { version: ifVersion, data: now } = contact;
  if (written[0]?.data.isCreation) {
    if (ifVersion !== written.length) {
      return { status: 'kept', reason: 'touched' };
    }
    await perform('delete-contact', { path }, { ifVersion });
    return undefined;
  }
  const { fields, stageId, archive, kept } = undoneBy(
    now,
    written.map(({ data }) => data.fields),
  );
  const steps = [
    ...(fields === undefined ? [] : [['update-contact', { path, body: fields }] as const]),
    ...(stageId === undefined ? [] : [['move-contact', { path, body: { stageId } }] as const]),
    ...(archive === undefined ? [] : [[archive ? 'archive-contact' : 'restore-contact', { path }] as const]),
  ];
  if (steps.length === 0) {
    return { status: 'kept', reason: kept.length === 0 ? 'restored already' : changedSince(kept) };
  }
  const last = {
    also: written.map(({ key }) => table.delete(key)),
    ...(kept.length > 0 && { reason: changedSince(kept) }),
  };
  for (const [index, [operation, request]] of steps.entries()) {
    const isLast = index === steps.length - 1;
    await perform(operation, request, {
      ifVersion: ifVersion + index,
      ...(isLast ? last : { moreFollow: true }),
    });
  }
  return undefined;
}
