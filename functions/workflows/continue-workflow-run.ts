import * as demo from '../../shared/demo-ids.ts';
import { ok } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { openWaits, woken } from './model/engine/lifecycle.ts';
import { actOnRun, RunChanged, wrongState } from './model/runs/act-on-run.ts';
import type { RunChange } from './model/runs/change-run.ts';
import { requireWorkflowOf } from './model/runs/find-run.ts';
import type { Run } from './model/runs/run.ts';

export default operation({
  route: 'POST /api/workflow-runs/{id}/continue',
  summary: 'End the wait of a run of a workflow now',
  description:
    'It goes on at once, as if the time of its waits had come: a wait for an event goes the way `timeout`. A run that was to start later starts. Branches of a run that wait for each other go on doing so. A run that is `running` waits for nothing; should it stand still nevertheless, it goes on. Because it acts with the rights of the owner of the workflow, this is for those who see both the contact and the workflow and are its owner, an ADMIN, or a DEPARTMENT_HEAD who sees all that the owner sees and whose role is not below: 403 for others who see the run. The response is 409 for a run that has ended or waits for no time, and for one of a workflow whose runs were cancelled together or that is deleted.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: RunChanged,
  failures: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { path: { id: demo.workflowRun } },
  uses: { table: 'write', platform: 'write' },
  async run({ path }, { table, platform, caller, now, newId }) {
    const data = await actOnRun(
      { table, platform },
      caller,
      path.id,
      (found) => {
        requireWorkflowOf(found);
        const run = found.run.data;
        const change = continued(run);
        if (change === undefined) {
          throw wrongState('is running or waits for a time or an event can be continued', run);
        }
        return change;
      },
      { now, newId },
    );
    return ok({ message: 'Run goes on', data });
  },
});

/** The run without its waits; undefined if it has none that would end by themselves, and is not to go on anyway. */
function continued(run: Run): RunChange | undefined {
  if (run.startsAt !== undefined && run.steps === 0 && run.status === 'waiting') {
    const { startsAt: _, ...after } = run;
    return { after: { ...after, status: 'running' }, isReady: true };
  }
  const waits = openWaits(run).filter(({ wait }) => wait?.until !== undefined);
  const after = waits.reduce((current, token) => woken(current, token, 'over'), run);
  // Whoever was to go on with it may be lost: to be handed over twice does no harm.
  return waits.length === 0 && run.status !== 'running' ? undefined : { after, isReady: true };
}
