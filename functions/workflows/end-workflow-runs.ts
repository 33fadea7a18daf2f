import { streamOperation } from '../../shared/kernel/trigger.ts';
import { prefixOf } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { endBatchOfRuns } from './model/plans/end-batch-of-runs.ts';
import type { RunsToEnd } from './model/plans/runs-to-end.ts';

/** From the request on, the gates keep these runs from having an effect: here their records follow, some at a time. */
export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: prefixOf(['RUNS_TO_END']) },
  summary: 'End the runs that were cancelled with their workflow, or whose workflow is deleted',
  uses: { organizations: 'write', platform: 'write' },
  async run(changes, { organizations, platform, now, newId }) {
    let ended = 0;
    for (const { partition, data } of changes) {
      const table = organizations(organizationIn(partition) ?? '');
      ended += await endBatchOfRuns({ table, platform }, data as RunsToEnd, { now, newId });
    }
    return { ended };
  },
});
