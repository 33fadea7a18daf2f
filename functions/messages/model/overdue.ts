import { conversationRange, messageKey } from '../../../shared/conversations/conversation.ts';
import { failed, resultOf } from '../../../shared/messages/sms-outcomes.ts';
import type { TableWriter } from '../../../shared/table/table.ts';

/**
 * Handles a message that has left the queue. If nobody sent it, its time was over and it fails; otherwise it has an outcome
 * already and stays as it is.
 */
export async function failUnlessDone(
  table: TableWriter,
  contactId: string,
  messageId: string,
): Promise<void> {
  await table.optimistically(async () => {
    const conversations = await table.list(conversationRange(contactId));
    const conversation = conversations.find(({ data }) => data.channel === 'sms')?.data;
    const message = conversation && (await table.read(messageKey(contactId, conversation._id, messageId)));
    if (message?.data.status === 'queued') {
      const outcome = failed('The message could not be sent within a day. Send it again.');
      await table.commit([table.replace(message, { ...message.data, ...resultOf(outcome) })]);
    }
  });
}
