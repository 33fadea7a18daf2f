import { logEntryEnd, logEntryKey } from '../../shared/events/log-entry.ts';
import type { StoredEvent } from '../../shared/events/outbox.ts';
import { forEachOrThrow } from '../../shared/kernel/for-each-concurrently.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { eventEntry } from './model/event-entry.ts';

/** Organizations whose events are logged at the same time. */
const width = 4;

export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: keyPrefix(['EVENT']) },
  summary: 'Write what happened to the log of the organization',
  uses: { organizations: 'write' },
  async run(changes, { organizations }) {
    const byOrganization = Map.groupBy(changes, ({ partition }) => organizationIn(partition) ?? '');
    await forEachOrThrow(byOrganization, width, async ([organizationId, some]) => {
      // A batch that is made of changes that failed before may have some of them twice.
      const records = new Map(
        some.map(({ data }) => {
          const entry = eventEntry(data as StoredEvent);
          const record = { key: logEntryKey(entry._id), data: entry, expiresAt: logEntryEnd(entry.at) };
          return [entry._id, record];
        }),
      );
      await organizations(organizationId).putMany([...records.values()]);
    });
    return { logged: changes.length };
  },
});
