import { conversationRange, messageKey } from '../../../shared/conversations/conversation.ts';
import { failed } from '../../../shared/kernel/providers/sms-outcomes.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { toProgress } from './progress.ts';
import { type Recording, recordProgress } from './record-progress.ts';

/**
 * Handles a message that has left the queue. If nobody sent it, it waited too long and fails; otherwise its status has changed already
 * and stays.
 */
export async function failUnlessDone(
  recording: Recording,
  contactId: string,
  messageId: string,
): Promise<void> {
  const { table, now } = recording;
  const conversations = await table.list(conversationRange(contactId));
  const conversationId = conversations.find(({ data }) => data.channel === 'sms')?.data._id;
  const message =
    conversationId && (await table.read(messageKey(contactId, conversationId, messageId)))?.data;
  if (message && message.status === 'queued' && message.providerMessageId === null) {
    const outcome = failed('EXPIRED', 'The message could not be sent within a day. Send it again.');
    const messageRef = { contactId, conversationId: message.conversationId, messageId };
    await recordProgress(recording, messageRef, toProgress(outcome, timestamp(now)));
  }
}
