import { scheduleAction } from '../../shared/events/due-entry.ts';
import { revertibleFor } from '../../shared/jobs/former-values.ts';
import { callerActing, type Job, jobExpiry, sliceEntry } from '../../shared/jobs/job.ts';
import { JobResponse, toJobResponse } from '../../shared/jobs/job-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { after, day } from '../../shared/kernel/time.ts';
import { findJob } from './model/find-job.ts';

export default operation({
  route: 'POST /api/jobs/{id}/revert',
  summary: 'Revert a job',
  description: `Within ${revertibleFor / day} days after an import or a bulk change has ended: the job runs again, as you, and is then \`reverted\`. Contacts that it created and nobody has touched since are deleted; fields that it changed and nobody has changed since get their former values. Its \`result\` says how many, and which contacts were kept and why. The response is 409 for deletions, exports and dry runs, and for a job that has not ended or is reverted already. [Jobs](#/Jobs) says what counts as touched.`,
  family: 'contacts',
  minimumRole: 'SALES_REP',
  status: 202,
  output: dataResponse(JobResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.spareJob } },
  uses: { table: 'write', platform: 'write' },
  run: ({ path }, { table, platform, caller, now }) =>
    table.optimistically(async () => {
      const stored = await findJob(table, caller, path.id);
      const { state: _, stop: __, ...job } = stored.data;
      requireRevertible(job, now);
      const reverting: Job = { ...job, status: 'running', endedAt: null, revert: callerActing(caller) };
      await table.commit([
        table.replace(stored, reverting, { expiresAt: jobExpiry(job) }),
        scheduleAction(platform, sliceEntry(reverting, now)),
      ]);
      return ok({ data: toJobResponse(reverting) });
    }),
});

/** @throws a 409 `Failure` that says why a job cannot be reverted. */
function requireRevertible({ type, dryRun, isFinal, status, endedAt }: Job, now: Date): void {
  const refused = (why: string) => new Failure('CONFLICT', why);
  if (!revertible.has(type) || isFinal) {
    throw refused('What this job did cannot be reverted.');
  }
  if (dryRun) {
    throw refused('The job was a dry run: there is nothing to revert.');
  }
  if (endedAt === null || status === 'reverted') {
    throw refused(`The job is ${status}: only one that has ended can be reverted, and only once.`);
  }
  if (after(new Date(endedAt), revertibleFor) < now) {
    throw refused(`The job ended more than ${revertibleFor / day} days ago.`);
  }
}

/** The types of jobs that note what contacts were before. */
const revertible: ReadonlySet<string> = new Set(['bulk', 'import']);
