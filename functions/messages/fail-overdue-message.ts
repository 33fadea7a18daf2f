import { streamOperation, type TableChange } from '../../shared/kernel/trigger.ts';
import { keyParts, keyPrefix } from '../../shared/table/key.ts';
import { contactIn, organizationIn } from '../../shared/table/spaces.ts';
import { failUnlessDone } from './model/overdue.ts';

export default streamOperation({
  reader: 'background',
  on: { change: 'REMOVE', sortPrefix: keyPrefix(['OUTGOING']) },
  summary: 'Mark messages as failed that left the queue without being sent',
  uses: { organizations: 'write', platform: 'write', objects: 'downloads' },
  async run(changes, { organizations, platform, objects, now, newId }) {
    await Promise.all(
      changes.flatMap(unqueued).map(({ organizationId, contactId, messageId }) =>
        failUnlessDone(
          {
            table: organizations(organizationId),
            platform,
            downloads: objects(organizationId),
            now,
            newId,
          },
          contactId,
          messageId,
        ),
      ),
    );
  },
});

/** The message that a change removed from the queue. */
function unqueued({ partition, sort }: TableChange) {
  const organizationId = organizationIn(partition);
  const contactId = contactIn(partition);
  const [, messageId] = keyParts(sort);
  return organizationId && contactId && messageId ? [{ organizationId, contactId, messageId }] : [];
}
