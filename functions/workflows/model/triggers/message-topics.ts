import type { Message, MessageStatus } from '../../../../shared/conversations/conversation.ts';
import type { StoredEvent } from '../../../../shared/events/outbox.ts';
import { given } from '../../../../shared/kernel/given.ts';
import type { Topic, TopicEvent } from '../definition/topics.ts';

/** A message that came in. One that goes out has topics once it moves on. */
export function createdMessage(event: StoredEvent): TopicEvent[] {
  return event.change?.message?.direction === 'inbound'
    ? [{ topic: 'message.received', fields: fieldsOf(event) }]
    : [];
}

/** A report may overtake the one before it, so that one move may be several. */
export function updatedMessage(event: StoredEvent): TopicEvent[] {
  const { status, was } = event.change?.message ?? {};
  return topicsOf(status, was).map((topic) => ({ topic, fields: fieldsOf(event) }));
}

function topicsOf(status: MessageStatus | undefined, was: MessageStatus | undefined): Topic[] {
  const sent = was === 'queued' ? (['message.sent'] as const) : [];
  switch (status) {
    case 'sent':
      return ['message.sent'];
    case 'delivered':
      return [...sent, 'message.delivered'];
    case 'read':
      return [...sent, ...(was === 'delivered' ? [] : (['message.delivered'] as const))];
    case 'failed':
    case 'undelivered':
      return ['message.failed'];
    default:
      return [];
  }
}

function fieldsOf({ data, change }: StoredEvent) {
  const { messageId, conversationId } = data;
  const { direction, status, from, to } = change?.message ?? {};
  const { content, channel, sentBy, attachments, failure } = (data.message ?? {}) as Partial<Message>;
  const { code, reason } = typeof failure === 'object' && failure !== null ? failure : {};
  return {
    ...{ messageId, conversationId },
    ...given({ direction, status, channel, text: content, from, to }),
    ...given({ userId: sentBy ?? undefined, attachments: attachments?.length, code, reason }),
  };
}
