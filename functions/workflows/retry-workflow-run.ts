import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { retriedRun } from './model/execution/engine.ts';
import { RunChanged, resumeRun, whoMayActOnRuns, wrongState } from './model/runs/act-on-run.ts';

export default operation({
  route: 'POST /api/workflow-runs/{id}/retry',
  summary: 'Retry a run of a workflow that failed',
  description: `The run continues from the step that failed: its earlier steps stay done, and its other branches keep waiting. It follows the revision that it had, or one that \`running=move\` has brought runs to since. This also works while the workflow is disabled. ${whoMayActOnRuns} The response is 409 if the run did not fail or failed because it was too long, and if the workflow is deleted or all its runs were cancelled since. Emits \`workflow_run_updated\`.`,
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: RunChanged,
  failures: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { path: { id: demo.failedWorkflowRun } },
  uses: { table: 'write', platform: 'write' },
  async run({ path }, { table, platform, caller, ...clock }) {
    const data = await resumeRun(
      { table, platform },
      caller,
      path.id,
      (run) => {
        if (run.status !== 'failed') {
          throw wrongState('failed can be retried', run);
        }
        const after = retriedRun(run);
        if (after === undefined) {
          throw new Failure('CONFLICT', 'This run cannot be retried: it was too long.');
        }
        return after;
      },
      clock,
    );
    return ok({ message: 'Run resumed', data });
  },
});
