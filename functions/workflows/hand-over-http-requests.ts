import { handOver } from '../../shared/kernel/hand-over.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { queueRequest } from './model/runs/queued-request.ts';
import type { HttpRequest } from './model/runs/run.ts';

/** A step only stores its request: whatever the receiver does, no run and nothing in the stream waits for it. */
export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: keyPrefix(['HTTP_REQUEST']) },
  summary: 'Hand requests of workflows over to the function that posts them',
  uses: { queue: 'workflowRuns' },
  run: (changes, { queue }) =>
    handOver(changes, ({ partition, data }) => {
      const { workflowId, runId, n } = data as HttpRequest;
      return queueRequest(queue, {
        organizationId: organizationIn(partition) ?? '',
        ...{ workflowId, runId, n },
        attempt: 1,
      });
    }),
});
