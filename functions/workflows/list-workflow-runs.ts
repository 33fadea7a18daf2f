import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { RunResponse } from '../../shared/workflows/run-response.ts';
import { runStatuses } from '../../shared/workflows/run-statuses.ts';
import { whoSeesARun } from './model/runs/find-run.ts';
import { listedRuns, readRunsOfWorkflow, readRunsOfWorkflowFor } from './model/runs/run-page.ts';

export default operation({
  route: 'GET /api/workflows/{id}/runs',
  summary: 'List the runs of a workflow, newest first',
  tool: { name: 'list_workflow_runs', when: 'To see for whom a workflow has run, and how it went.' },
  description: `${whoSeesARun} Runs for contacts that you may not see are left out, so a page may hold fewer than \`limit\` although more follow; so may a page of \`running\` runs, and one whose runs have very many steps. A \`contactId\` that does not exist, or that you may not see, finds nothing.`,
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({
    status: z.optional(z.enum(runStatuses)),
    contactId: z.optional(Id),
    ...pageQuery,
  }),
  descriptions: {
    status: 'Only runs with this status.',
    contactId: 'Only runs for this contact.',
    ...pageDescriptions,
  },
  output: listResponse(RunResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.formerWorkflow } },
  uses: { table: 'read' },
  async run({ path, query: { contactId, ...query } }, { table, caller }) {
    const page = await (contactId === undefined
      ? readRunsOfWorkflow(table, caller, path.id, query)
      : readRunsOfWorkflowFor(table, caller, path.id, { ...query, contactId }));
    return ok(listedRuns(page));
  },
});
