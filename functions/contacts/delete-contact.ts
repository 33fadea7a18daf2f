import { contactDeletion } from '../../shared/contact-aggregate/contact-deletion.ts';
import { contactRemoved } from '../../shared/contacts/contact-events.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { findDeletable } from './model/find-deletable.ts';

export default operation({
  route: 'DELETE /api/contacts/{id}',
  summary: 'Delete a contact',
  description:
    'Its phone numbers become available at once. Its notes, conversations and messages can no longer be read from then on, and are deleted soon after, with their files, and with notifications about it. Its calls stay without its number. What was last said about text messages to its numbers stays for good, under a digest of each number, so that whoever said STOP gets no text even if the number is stored again. If the contact has many applications, users and conversations, some applications are deleted first, each with its own event. Within an hour its events and webhook deliveries are erased, except `contact_removed`, which has ids only.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  asStep: true,
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareContact } },
  uses: { table: 'write', platform: 'write' },
  async run({ path }, { table, platform, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const aggregate = await findDeletable({ table, platform }, caller, path.id, { now, newId });
      await table.commit([
        ...contactDeletion({ table, platform }, aggregate, now),
        eventAction(table, contactRemoved(aggregate.contact.data), eventId, now),
      ]);
      return ok({ message: 'Contact deleted' });
    });
  },
});
