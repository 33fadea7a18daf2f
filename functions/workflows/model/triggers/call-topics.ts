import type { Call } from '../../../../shared/calls/call.ts';
import type { StoredEvent } from '../../../../shared/events/outbox.ts';
import { given } from '../../../../shared/kernel/given.ts';
import type { TopicEvent } from '../definition/topics.ts';

type CallTopic = Extract<TopicEvent['topic'], `call.${string}`>;

/** A call that began, was answered, ended or was missed. An event too large for its frame has ids alone. */
export function callTopics(topic: CallTopic, { data }: StoredEvent): TopicEvent[] {
  const { callId, conversationId } = data;
  const { direction, status, from, to, userId, provider, duration, missedCall } = (data.call ??
    {}) as Partial<Call>;
  return [
    {
      topic,
      fields: {
        ...{ callId, conversationId },
        ...given({ direction, status, from, to, userId, provider, duration }),
        ...(topic === 'call.missed'
          ? given({ textOutcome: missedCall?.outcome, textReason: missedCall?.reason })
          : {}),
      },
    },
  ];
}
