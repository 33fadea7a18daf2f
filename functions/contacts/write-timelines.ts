import type { StoredEvent } from '../../shared/events/outbox.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { writeTimeline } from './model/timeline/write-timeline.ts';

export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: keyPrefix(['EVENT']) },
  summary: 'Write what happened to contacts into their timelines',
  uses: { organizations: 'write' },
  async run(changes, { organizations }) {
    const byOrganization = [...Map.groupBy(changes, ({ partition }) => organizationIn(partition) ?? '')];
    const written = await Promise.all(
      byOrganization.map(([organizationId, some]) =>
        writeTimeline(
          organizations(organizationId),
          some.map(({ data }) => data as StoredEvent),
        ),
      ),
    );
    return { entries: written.reduce((sum, count) => sum + count, 0) };
  },
});
