import { JobResponse, toJobResponse } from '../../shared/jobs/job-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { findJob } from './model/find-job.ts';

export default operation({
  route: 'GET /api/jobs/{id}',
  summary: 'Read a job',
  description: 'How far it is, and how it ended. Its creator and every ADMIN may read it, for 90 days.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  output: dataResponse(JobResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.job } },
  uses: { table: 'read' },
  async run({ path }, { table, caller }) {
    const { data } = await findJob(table, caller, path.id);
    return ok({ data: toJobResponse(data) });
  },
});
