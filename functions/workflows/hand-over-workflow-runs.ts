import { handOver } from '../../shared/kernel/hand-over.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { queueRun } from './model/runs/queued-run.ts';
import type { ReadyRun } from './model/runs/run.ts';

/** The stream only hands runs over: however long their steps take, nothing else in the stream waits for them. */
export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: keyPrefix(['READY']) },
  summary: 'Hand ready workflow runs over to the function that advances them',
  uses: { queue: 'workflowRuns' },
  run: (changes, { queue }) =>
    handOver(changes, ({ partition, data }) => {
      const { writeId: _, ...ready } = data as ReadyRun;
      return queueRun(queue, { organizationId: organizationIn(partition) ?? '', ...ready, tries: 0 });
    }),
});
