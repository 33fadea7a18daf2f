import { stateOf, withUnsentMessage } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import * as demo from '../../shared/demo-ids.ts';
import { cancelStep } from '../../shared/due/due-entry.ts';
import { messageResponse, ok } from '../../shared/kernel/envelope.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { eventStep } from '../../shared/live/outbox.ts';
import { messageDeleted } from '../../shared/messages/message-events.ts';
import { dueMessage } from '../../shared/messages/scheduled-message.ts';
import { contactObjectsKey } from '../../shared/objects/owned-objects.ts';
import { findMessage } from './model/find-message.ts';

export default operation({
  route: 'DELETE /api/messages/{id}',
  summary: 'Delete a scheduled message before it is sent',
  description:
    'Only a message with the status `scheduled`: it is never sent, and leaves its conversation with its files. Any other is 409, also one that is `queued`, because it is on its way. Everyone who can see the conversation may do this. Emits `message_deleted`.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.scheduledMessage } },
  uses: { table: 'write', platform: 'write' },
  async run({ path: { id } }, { table, platform, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const { aggregate, conversation, stored } = await findMessage(table, caller, id);
      const due = dueMessage(table.organizationId, stored.data);
      if (due === undefined) {
        throw new Failure(
          'CONFLICT',
          `Only a scheduled message can be deleted, and this one is ${stored.data.status}.`,
        );
      }
      const { contactId, attachments } = stored.data;
      const state = withUnsentMessage(stateOf(aggregate), conversation, -1, timestamp(now));
      await table.commit([
        table.delete(stored.key, { ifVersion: stored.version }),
        cancelStep(platform, due),
        ...contactWrites(table, aggregate, state),
        ...(attachments.length === 0 ? [] : [table.delete(contactObjectsKey(contactId, id))]),
        eventStep(table, messageDeleted(aggregate.contact.data, conversation, id), eventId, now),
      ]);
      return ok({ message: 'Message deleted' });
    });
  },
});
