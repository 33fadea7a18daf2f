import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { contactRemoved } from '../../shared/contacts/contact-events.ts';
import * as demo from '../../shared/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { eventAction } from '../../shared/live/outbox.ts';
import { findDeletable } from './model/find-deletable.ts';

export default operation({
  route: 'DELETE /api/contacts/{id}',
  summary: 'Delete a contact',
  description:
    'Its phone numbers become available at once. Its notes, conversations and messages can no longer be read from then on, and are deleted soon after, with their files, and with notifications about it. Its calls stay without its number. Of a contact with many applications, users and conversations at once, some applications are deleted first, each with its event. Events about it can be replayed for 25 hours.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareContact } },
  uses: { table: 'write' },
  async run({ path }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const aggregate = await findDeletable(table, caller, path.id, { now, newId });
      await table.commit([
        ...contactWrites(table, aggregate, undefined),
        eventAction(table, contactRemoved(aggregate.contact.data), eventId, now),
      ]);
      return ok({ message: 'Contact deleted' });
    });
  },
});
