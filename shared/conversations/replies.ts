import type { Conversation, Direction, Message } from './conversation.ts';

/**
 * Who waits for whom. A reply is a message that a person wrote and that has not failed: a text that the service or a workflow sends by
 * itself answers nobody. A conversation counts its replies since the last message of the contact, so that each can be taken back, in any
 * order, if it turns out not to have reached the contact. Source: decisions 6, "messageStatus".
 */

/** The outbound message as a reply in this conversation, unless it is automatic. */
export function asReply(message: Message, { turn = 0 }: Conversation): Message {
  const isAutomatic = message.sentBy === null || message.causedBy !== undefined;
  return isAutomatic ? message : { ...message, replyIn: turn };
}

/** Whether the message is a reply, as far as is known. */
export function isReply({ replyIn, status }: Pick<Message, 'replyIn' | 'status'>): boolean {
  return replyIn !== undefined && status !== 'failed' && status !== 'undelivered';
}

/** The conversation with some replies more, or less; the same if the contact has written since that message. */
export function withReplies(
  conversation: Conversation,
  { replyIn }: Pick<Message, 'replyIn'>,
  more: number,
): Conversation {
  const { turn = 0, replies = 0 } = conversation;
  return replyIn === turn ? { ...conversation, replies: replies + more } : conversation;
}

/**
 * Which way the last message went that is a reply or comes from the contact, in the conversation with the latest messages; null for none.
 * Undefined if that conversation is from before replies were counted.
 */
export function lastExchangeIn(conversations: readonly Conversation[]): Direction | null | undefined {
  const latestFirst = conversations
    .filter(({ lastMessageAt }) => lastMessageAt !== null)
    .toSorted((conversation, other) =>
      (conversation.lastMessageAt ?? '') < (other.lastMessageAt ?? '') ? 1 : -1,
    );
  for (const { replies, inboundCount = 0 } of latestFirst) {
    if (replies === undefined) {
      return undefined;
    }
    if (replies > 0 || inboundCount > 0) {
      return replies > 0 ? 'outbound' : 'inbound';
    }
  }
  return null;
}
