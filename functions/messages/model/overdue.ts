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
  const ofTexts = conversations.filter(({ data }) => data.channel === 'sms');
  const [message] = (
    await table.readMany(ofTexts.map(({ data }) => messageKey(data._id, messageId)))
  ).flatMap((stored) => stored?.data ?? []);
  if (message?.status === 'queued' && message.providerMessageId === null) {
    const outcome = failed('EXPIRED', 'The message could not be sent within a day. Send it again.');
    const messageRef = { contactId, conversationId: message.conversationId, messageId };
    await recordProgress(recording, messageRef, toProgress(outcome, timestamp(now)));
  }
}
