import * as demo from '../../shared/demo-ids.ts';
import { ok } from '../../shared/kernel/envelope.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { retried } from './model/engine/lifecycle.ts';
import { actOnRun, RunChanged, wrongState } from './model/runs/act-on-run.ts';
import { requireWorkflowOf } from './model/runs/find-run.ts';

export default operation({
  route: 'POST /api/workflow-runs/{id}/retry',
  summary: 'Retry a run of a workflow that failed',
  description:
    'It goes on from the step that failed, with what it has done and on the revision it had; where it waited beside that, it waits on. Also while the workflow is disabled. Because it acts with the rights of the owner of the workflow, this is for those who see both the contact and the workflow and are its owner, an ADMIN, or a DEPARTMENT_HEAD who sees all that the owner sees and whose role is not below: 403 for others who see the run. The response is 409 for a run that did not fail, for one that failed because it was too long, and if the workflow is deleted or all its runs were cancelled since. Emits `workflow_run_updated`.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: RunChanged,
  failures: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { path: { id: demo.failedWorkflowRun } },
  uses: { table: 'write', platform: 'write' },
  async run({ path }, { table, platform, caller, now, newId }) {
    const data = await actOnRun(
      { table, platform },
      caller,
      path.id,
      (found) => {
        requireWorkflowOf(found);
        const run = found.run.data;
        if (run.status !== 'failed') {
          throw wrongState('failed can be retried', run);
        }
        const after = retried(run);
        if (after === undefined) {
          throw new Failure('CONFLICT', 'This run cannot be retried: it was too long.');
        }
        return { after, isReady: true };
      },
      { now, newId },
    );
    return ok({ message: 'Run goes on', data });
  },
});
