import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { endedRun, isOver } from './model/execution/engine.ts';
import { actOnRun, RunChanged, whoMayActOnRuns, wrongState } from './model/runs/act-on-run.ts';
import { requireRunRights } from './model/runs/find-run.ts';

export default operation({
  route: 'POST /api/workflow-runs/{id}/cancel',
  summary: 'Cancel a run of a workflow',
  description: `Ends the run where it is: what it has done stays done, and nothing more happens. ${whoMayActOnRuns} The response is 409 if the run has ended. Emits \`workflow_run_updated\`.`,
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: RunChanged,
  failures: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { path: { id: demo.spareWorkflowRun } },
  uses: { table: 'write', platform: 'write' },
  async run({ path }, { table, platform, caller, now, newId }) {
    const data = await actOnRun(
      { table, platform },
      caller,
      path.id,
      (found) => {
        requireRunRights(found);
        const { data: run } = found.run;
        if (isOver(run)) {
          throw wrongState('is running or waiting can be cancelled', run);
        }
        return { after: endedRun(run, 'cancelled', undefined, now) };
      },
      { now, newId },
    );
    return ok({ message: 'Run cancelled', data });
  },
});
