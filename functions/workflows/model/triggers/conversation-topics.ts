import type { StoredEvent } from '../../../../shared/events/outbox.ts';
import { given } from '../../../../shared/kernel/given.ts';
import type { TopicEvent } from '../definition/topics.ts';

/** The topics of a conversation's change, in its own event or in that of a message, a call or a lead. */
export function conversationTopics({ change }: StoredEvent): TopicEvent[] {
  const { _id: conversationId, channel, transitions = [], assigned } = change?.conversation ?? {};
  return transitions.map((transition) => ({
    topic: `conversation.${transition}`,
    fields: {
      ...{ conversationId, channel },
      ...(transition === 'created' || transition === 'assigned'
        ? given({ userId: assigned?.[0], userIds: assigned })
        : {}),
    },
  }));
}
