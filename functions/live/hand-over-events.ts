import type { StoredEvent } from '../../shared/events/outbox.ts';
import { handOver } from '../../shared/kernel/hand-over.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { enqueueEvents } from './model/live-job.ts';

/** The stream only hands events over: however many connections an organization has, the events of others do not wait for them. */
export default streamOperation({
  reader: 'live',
  on: { change: 'INSERT', sortPrefix: keyPrefix(['EVENT']) },
  summary: 'Hand events over to the function that delivers them to connections',
  uses: { queue: 'liveEvents' },
  run: (changes, { queue }) =>
    handOver(
      [...Map.groupBy(changes, ({ partition }) => organizationIn(partition) ?? '')],
      ([organizationId, events]) =>
        enqueueEvents(
          queue,
          organizationId,
          events.map(({ data }) => data as StoredEvent),
        ),
    ),
});
