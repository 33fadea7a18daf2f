import * as z from 'zod/mini';
import { jobRange } from '../../shared/jobs/job.ts';
import { JobResponse, toJobResponse } from '../../shared/jobs/job-response.ts';
import { jobTypes } from '../../shared/jobs/job-statuses.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { readMergedPage } from '../../shared/table/merged-page.ts';
import { maySee } from './model/find-job.ts';

export default operation({
  route: 'GET /api/jobs',
  summary: 'List jobs, newest first',
  description:
    'Your own jobs of 90 days; for an ADMIN, those of everybody. A page with a condition reads a bounded part of the list: it may be short, or empty, although `nextCursor` leads on.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  query: z.object({ type: z.optional(z.enum(jobTypes)), ...pageQuery }),
  descriptions: { type: 'Only jobs of this type.', ...pageDescriptions },
  output: listResponse(JobResponse),
  uses: { table: 'read' },
  async run({ query: { type, ...paging } }, { table, caller }) {
    const { records, nextCursor } = await readMergedPage(table, [jobRange()], {
      ...paging,
      matches: (job) => maySee(caller, job) && (type === undefined || job.type === type),
    });
    return ok({ data: records.map(({ data }) => toJobResponse(data)), nextCursor });
  },
});
