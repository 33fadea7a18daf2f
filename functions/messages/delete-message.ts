import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import { contactIdIn } from '../../shared/kernel/child-id.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { messageDeleted } from '../../shared/messages/message-events.ts';
import { contactObjectsKey } from '../../shared/notes/owned-objects.ts';
import { transactionLimit } from '../../shared/table/table.ts';
import { prepareDeletion } from './model/delete-unsent.ts';
import { findMessage } from './model/find-message.ts';

export default operation({
  route: 'DELETE /api/messages/{id}',
  summary: 'Delete a message before it is sent',
  description: [
    'For a message that is `scheduled`, or that is `queued` and not being sent at this moment: it is never sent, and is removed from its conversation with its files. If the provider did not respond to an earlier attempt to send it, the message may have been sent all the same. For any other message, the response is 409. Everyone who can see the conversation may do this. Emits `message_deleted`.',
    'A `queued` message still counts towards the daily limit. [Messages](#/Messages) says what becomes of the call that it was the text for, of the message that it was to replace, and of what users have read.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.scheduledMessage } },
  uses: { table: 'write', platform: 'write' },
  async run({ path: { id } }, { table, platform, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const found = await findMessage(table, caller, id);
      const { aggregate, conversation, stored } = found;
      const { state, actions, positions } = await prepareDeletion(table, platform, found, { now, newId });
      const { attachments } = stored.data;
      const all = [
        table.delete(stored.key, { ifVersion: stored.version }),
        ...actions,
        ...contactWrites(table, aggregate, state),
        ...(attachments.length === 0 ? [] : [table.delete(contactObjectsKey(contactIdIn(id), id))]),
        eventAction(table, messageDeleted(aggregate.contact.data, conversation, id), eventId, now),
      ];
      // Many have read a message that is not sent yet only while the provider is down. The record of an `Idempotency-Key` has room, too.
      await table.commit([...all, ...positions.slice(0, transactionLimit - 1 - all.length)]);
      return ok({ message: 'Message deleted' });
    });
  },
});
