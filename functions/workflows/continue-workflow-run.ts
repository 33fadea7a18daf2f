import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { openWaits, wokenRun } from './model/execution/engine.ts';
import { RunChanged, resumeRun, whoMayActOnRuns, wrongState } from './model/runs/act-on-run.ts';
import type { Run } from './model/runs/run.ts';

export default operation({
  route: 'POST /api/workflow-runs/{id}/continue',
  summary: 'End the wait of a run of a workflow now',
  description: `The run continues at once, as if the time of its waits had come: a wait for an event goes the way \`timeout\`. A run that was to start later starts now. Branches that wait for each other keep waiting. A run that is \`running\` waits for nothing; if it is stuck, it continues. ${whoMayActOnRuns} The response is 409 if the run has ended or waits for no time, and if its workflow is deleted or all its runs were cancelled.`,
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: RunChanged,
  failures: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { path: { id: demo.workflowRun } },
  uses: { table: 'write', platform: 'write' },
  async run({ path }, { table, platform, caller, ...clock }) {
    const data = await resumeRun(
      { table, platform },
      caller,
      path.id,
      (run) => {
        const after = continued(run);
        if (after === undefined) {
          throw wrongState('is running or waits for a time or an event can be continued', run);
        }
        return after;
      },
      clock,
    );
    return ok({ message: 'Run resumed', data });
  },
});

/** The run without the waits that a time would end; undefined if it has none, and is not `running` either. */
function continued(run: Run): Run | undefined {
  if (run.startsAt !== undefined && run.steps === 0 && run.status === 'waiting') {
    const { startsAt: _, ...after } = run;
    return { ...after, status: 'running' };
  }
  const waits = openWaits(run).filter(({ wait }) => wait?.until !== undefined);
  const after = waits.reduce((current, token) => wokenRun(current, token, 'over'), run);
  // The message that would go on with it may be lost, and handing it over twice does no harm.
  return waits.length === 0 && run.status !== 'running' ? undefined : after;
}
