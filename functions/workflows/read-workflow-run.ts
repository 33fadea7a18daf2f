import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { RunResponse, toRunResponse } from '../../shared/workflows/run-response.ts';
import { findRun, whoSeesARun } from './model/runs/find-run.ts';

export default operation({
  route: 'GET /api/workflow-runs/{id}',
  summary: 'Read a run of a workflow',
  tool: { name: 'read_workflow_run', when: 'To see the steps of a run, and why one failed or was skipped.' },
  description: `${whoSeesARun} It can be read after its workflow was deleted.`,
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(RunResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.finishedWorkflowRun } },
  uses: { table: 'read' },
  async run({ path }, { table, caller }) {
    const { run, steps } = await findRun(table, caller, path.id);
    return ok({ data: toRunResponse(run.data, steps) });
  },
});
