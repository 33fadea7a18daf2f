import { forEachOrThrow } from '../../shared/kernel/for-each-concurrently.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import type { RunsOfContactToEnd } from '../../shared/workflows/runs-of-contact-to-end.ts';
import { endBatchOfRuns } from './model/runs/end-batch-of-runs.ts';
import { endOthers } from './model/runs/others-to-end.ts';
import type { RunsToEnd } from './model/runs/runs-to-end.ts';

/** Workflows and contacts whose runs are ended at the same time; batches of one follow each other. */
const width = 4;

/** From the request on, the gates keep these runs from having an effect: here their records follow, some at a time. */
export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: keyPrefix(['RUNS_TO_END']) },
  summary:
    'End runs that were cancelled with their workflow, whose workflow is deleted or whose contact is archived, or that another run stops',
  uses: { organizations: 'write', platform: 'write' },
  async run(changes, { organizations, platform, now, newId }) {
    let ended = 0;
    const clock = { now, newId };
    const byPartition = Map.groupBy(changes, ({ partition }) => partition);
    await forEachOrThrow(byPartition, width, async ([partition, some]) => {
      const table = organizations(organizationIn(partition) ?? '');
      for (const { data } of some) {
        const work = data as RunsToEnd | RunsOfContactToEnd;
        const count =
          'contactId' in work
            ? await endOthers({ table, platform }, work, clock)
            : await endBatchOfRuns({ table, platform }, work, clock);
        ended += count;
      }
    });
    return { ended };
  },
});
