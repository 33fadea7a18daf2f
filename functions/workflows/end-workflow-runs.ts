import { streamOperation } from '../../shared/kernel/trigger.ts';
import { prefixOf } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { endBatchOfRuns } from './model/advancing/end-batch-of-runs.ts';
import type { RunsToEnd } from './model/plans/runs-to-end.ts';
import { endOthers, type OthersToEnd } from './model/runs/others-to-end.ts';

/** From the request on, the gates keep these runs from having an effect: here their records follow, some at a time. */
export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: prefixOf(['RUNS_TO_END']) },
  summary:
    'End the runs that were cancelled with their workflow, whose workflow is deleted, or that another run stops',
  uses: { organizations: 'write', platform: 'write' },
  async run(changes, { organizations, platform, now, newId }) {
    let ended = 0;
    for (const { partition, data } of changes) {
      const table = organizations(organizationIn(partition) ?? '');
      const work = data as RunsToEnd | OthersToEnd;
      const clock = { now, newId };
      ended +=
        'exceptRunId' in work
          ? await endOthers({ table, platform }, work, clock)
          : await endBatchOfRuns({ table, platform }, work, clock);
    }
    return { ended };
  },
});
