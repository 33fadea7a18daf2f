import { type Job, jobExpiry } from '../../shared/jobs/job.ts';
import { JobResponse, toJobResponse } from '../../shared/jobs/job-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { findJob } from './model/find-job.ts';

export default operation({
  route: 'POST /api/jobs/{id}/cancel',
  summary: 'Cancel a job',
  description:
    'The job stops within seconds, finishes the records that it has begun, and becomes `cancelled`. What it has done stays done; what it has not reached is `skipped` with the reason `cancelled`. Its creator and every ADMIN may cancel it. The response is 409 if it has ended or is being reverted.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  status: 202,
  output: dataResponse(JobResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.queuedJob } },
  uses: { table: 'write' },
  run: ({ path }, { table, caller }) =>
    table.optimistically(async () => {
      const stored = await findJob(table, caller, path.id);
      const { data: job } = stored;
      if (job.endedAt !== null) {
        throw new Failure('CONFLICT', `The job is ${job.status} already.`);
      }
      if (job.revert !== undefined) {
        throw new Failure('CONFLICT', 'The job is being reverted, which cannot be cancelled.');
      }
      const cancelled: Job = { ...job, stop: { status: 'cancelled', reason: 'cancelled' } };
      await table.commit([table.replace(stored, cancelled, { expiresAt: jobExpiry(job) })]);
      return ok({ data: toJobResponse(cancelled) });
    }),
});
