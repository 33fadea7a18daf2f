import * as z from 'zod/mini';
import { type ResultRow, resultRange } from '../../shared/jobs/job.ts';
import { recordStatuses } from '../../shared/jobs/job-statuses.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { readMergedPage } from '../../shared/table/merged-page.ts';
import { findJob } from './model/find-job.ts';
import { resultFile } from './model/result-file.ts';
import { ResultResponse, toResultResponse } from './model/result-response.ts';

export default operation({
  route: 'GET /api/jobs/{id}/results',
  summary: 'List what became of each record of a job',
  description:
    'One entry for each record, in the order of the job, also while it runs. A page with a `status` reads a bounded part of them: it may be short, or empty, although `nextCursor` leads on. With `format=csv`, all of them come at once as a file for a spreadsheet, with the columns `row`, `contactId`, `status` and `reason`.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  query: z.object({
    status: z.optional(z.enum(recordStatuses)),
    format: z.optional(z.enum(['json', 'csv'])),
    ...pageQuery,
  }),
  descriptions: {
    status: 'Only records that came to this.',
    format: '`csv` for a file with all of them, without pages; otherwise `json`.',
    ...pageDescriptions,
  },
  output: listResponse(ResultResponse),
  others: [
    { status: 200, contentType: 'text/csv', description: 'With `format=csv`: the results as a file.' },
  ],
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.job } },
  uses: { table: 'read' },
  async run({ path, query: { status, format, ...paging } }, { table, caller }) {
    const isListed = (result: ResultRow) =>
      !result.isOpen && (status === undefined || result.status === status);
    if (format === 'csv') {
      await findJob(table, caller, path.id);
      const results = await table.list(resultRange(path.id), { consistent: false });
      return resultFile(results.map(({ data }) => data).filter(isListed));
    }
    const [{ records, nextCursor }] = await Promise.all([
      readMergedPage(table, [resultRange(path.id)], {
        ...paging,
        descending: false,
        matches: isListed,
      }),
      findJob(table, caller, path.id),
    ]);
    return ok({ data: records.map(({ data }) => toResultResponse(data)), nextCursor });
  },
});
