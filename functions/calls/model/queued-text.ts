import type { Call } from '../../../shared/calls/call.ts';
import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import { after, timestamp } from '../../../shared/kernel/time.ts';
import type { NewEvent } from '../../../shared/live/outbox.ts';
import { messageCreated } from '../../../shared/messages/message-events.ts';
import { newMessage } from '../../../shared/messages/new-message.ts';
import { type QueuedMessage, queuedFor, queuedMessageKey } from '../../../shared/messages/queued-message.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import type { ChangeIds } from './change-call.ts';

interface NewText {
  /** The call that it follows: it leaves from the number that was called, to the one that called. */
  readonly call: Call;
  readonly content: string;
  readonly before: ContactState;
}

/** A text to the caller of a missed call, with the contact that has it, to be stored and counted by `commitText`. */
export function queuedText(
  table: TableWriter,
  { call, content, before }: NewText,
  ids: ChangeIds,
  now: Date,
): { messageId: string; state: ContactState; steps: Step[]; event: NewEvent } {
  const spoken = before.conversations.find(({ _id }) => _id === call.conversationId);
  const { state, conversation, message } = newMessage(
    before,
    {
      direction: 'outbound',
      content,
      attachments: [],
      status: 'queued',
      // Nobody wrote it.
      sentBy: null,
      providerMessageId: null,
    },
    { owner: spoken?.userId ?? null },
    { conversation: ids.textConversation, message: ids.message },
    timestamp(now),
  );
  const { _id: messageId, conversationId, contactId } = message;
  const [from, to] = [call.providerPhoneNumber ?? null, call.from ?? ''];
  const queued: QueuedMessage = { messageId, conversationId, contactId, from, to, content, media: [] };
  return {
    messageId,
    state,
    steps: [
      table.add(messageKey(contactId, conversationId, messageId), message),
      table.add(queuedMessageKey(contactId, messageId), queued, { expiresAt: after(now, queuedFor) }),
    ],
    event: messageCreated(state.contact, conversation, message),
  };
}
