import * as z from 'zod/mini';
import { findContact } from '../../shared/contacts/find-contact.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { RunResponse } from '../../shared/workflows/run-response.ts';
import { runStatuses } from '../../shared/workflows/run-statuses.ts';
import { listedRuns, readRunsOfContact } from './model/runs/run-page.ts';

export default operation({
  route: 'GET /api/contacts/{id}/workflow-runs',
  summary: 'List the runs of workflows for a contact, newest first',
  tool: { name: 'list_runs_of_contact', when: 'To see which workflows have run for a contact.' },
  description:
    'All runs, whether or not you may see their workflows, including those of deleted workflows. A page with very many steps ends early; `nextCursor` continues it.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  query: z.object({ status: z.optional(z.enum(runStatuses)), ...pageQuery }),
  descriptions: { status: 'Only runs with this status.', ...pageDescriptions },
  output: listResponse(RunResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.hedy }, query: { status: 'finished' } },
  uses: { table: 'read' },
  async run({ path, query }, { table, caller }) {
    const page = await readRunsOfContact(table, path.id, findContact(table, caller, path.id), query);
    return ok(listedRuns(page));
  },
});
