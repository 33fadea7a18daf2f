import { type Message, messageKey } from '../conversations/conversation.ts';
import { after } from '../kernel/time.ts';
import type { Action, TableWriter } from '../table/table.ts';
import { type QueuedMessage, queuedFor, queuedMessageKey } from './queued-message.ts';

type Sending = Pick<QueuedMessage, 'evenIfOptedOut'>;

/** The actions that store an outbound message and queue it for this number (E.164). */
export function queueActions(
  table: TableWriter,
  message: Message,
  to: string,
  now: Date,
  sending: Sending = {},
): Action[] {
  const { _id: messageId, conversationId } = message;
  return [
    table.add(messageKey(conversationId, messageId), { ...message, to }),
    queuedAction(table, message, to, now, sending),
  ];
}

/** The action that queues an outbound message for this number (E.164). */
export function queuedAction(
  table: TableWriter,
  message: Message,
  to: string,
  now: Date,
  sending: Sending = {},
): Action {
  const { _id: messageId, conversationId, contactId, content, attachments, from = null } = message;
  const media = attachments.flatMap(({ key, name, type }) => (key === undefined ? [] : { key, name, type }));
  const queued: QueuedMessage = {
    ...{ messageId, conversationId, contactId, from, to, content, media },
    ...sending,
  };
  return table.add(queuedMessageKey(messageId), queued, { expiresAt: after(now, queuedFor) });
}
