import type { StoredEvent } from '../../shared/events/outbox.ts';
import { forEachOrThrow } from '../../shared/kernel/for-each-concurrently.ts';
import { risingIds } from '../../shared/kernel/rising-ids.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { notifyOfEvent, subjectOfCause } from './model/notify-of-event.ts';

/** Contacts whose events are handled at the same time; those of one follow each other. */
const width = 8;

export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: keyPrefix(['EVENT']) },
  summary: 'Notify users of messages, assignments, leads and other events that ask for it',
  uses: { organizations: 'write' },
  async run(changes, { organizations, now, newId }) {
    // Notifications are listed by their ids.
    const ids = risingIds(newId);
    const causes = changes.flatMap(({ partition, data }) => {
      const organizationId = organizationIn(partition);
      const event = data as StoredEvent;
      const subject = subjectOfCause(event);
      return organizationId === undefined || subject === undefined
        ? []
        : [{ organizationId, event, subject }];
    });
    const bySubject = [
      ...Map.groupBy(causes, ({ organizationId, subject }) => `${organizationId} ${subject}`),
    ];
    await forEachOrThrow(bySubject, width, async ([, some]) => {
      for (const { organizationId, event } of some) {
        await notifyOfEvent(organizations(organizationId), event, { now, newId: ids });
      }
    });
    return { causes: causes.length };
  },
});
