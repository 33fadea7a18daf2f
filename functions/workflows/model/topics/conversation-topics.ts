import { given } from '../../../../shared/kernel/given.ts';
import type { StoredEvent } from '../../../../shared/live/outbox.ts';
import type { Told } from './occurrences.ts';

/** What an event tells of a conversation, whose own it may be or that of a message, a call or a lead. */
export function conversationTopics({ change }: StoredEvent): Told[] {
  const { _id: conversationId, channel, turns = [], assigned } = change?.conversation ?? {};
  return turns.map((turn) => ({
    topic: `conversation.${turn}`,
    fields: {
      ...{ conversationId, channel },
      ...(turn === 'created' || turn === 'assigned'
        ? given({ userId: assigned?.[0], userIds: assigned })
        : {}),
    },
  }));
}
