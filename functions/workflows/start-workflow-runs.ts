import type { StoredEvent } from '../../shared/events/outbox.ts';
import { forEachConcurrently } from '../../shared/kernel/for-each-concurrently.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { occurrencesIn } from './model/triggers/occurrences.ts';
import { ownersIn } from './model/triggers/owners.ts';
import { startByEvents } from './model/triggers/start-by-events.ts';

/** Organizations whose events are handled at the same time. */
const width = 4;

export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: keyPrefix(['EVENT']) },
  summary: 'Start the runs of workflows that events start, and end the waits for them',
  uses: { organizations: 'write', platform: 'write', objects: 'plans' },
  async run(changes, { organizations, platform, objects, now, newId }) {
    const all: unknown[] = [];
    const occurred = changes.flatMap(({ partition, data }) => {
      const organizationId = organizationIn(partition);
      try {
        return organizationId === undefined
          ? []
          : occurrencesIn(data as StoredEvent).map((occurrence) => ({ organizationId, occurrence }));
      } catch (error) {
        all.push(error);
        return [];
      }
    });
    const figures = { occurrences: occurred.length, started: 0, refused: 0, received: 0 };
    const byOrganization = Map.groupBy(occurred, ({ organizationId }) => organizationId);
    const lost = await forEachConcurrently(byOrganization, width, async ([organizationId, some]) => {
      const table = organizations(organizationId);
      const tables = { table, platform, objects: objects(organizationId), owners: ownersIn(table) };
      const occurrences = some.map(({ occurrence }) => occurrence);
      const { failures, started, refused, received } = await startByEvents(tables, occurrences, {
        now,
        newId,
      });
      all.push(...failures);
      figures.started += started;
      figures.refused += refused;
      figures.received += received;
    });
    const [failure] = [...all, ...lost];
    if (failure !== undefined) {
      throw failure;
    }
    return figures;
  },
});
