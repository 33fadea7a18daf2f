import { contactIdIn } from '../kernel/child-id.ts';
import type { Key, Range } from '../table/key.ts';
import type { Stored, TableReader } from '../table/table.ts';
import type { Conversation } from './conversation.ts';

/**
 * How far a user has read a conversation. A separate record in the contact's partition: reading never conflicts with an incoming
 * message, and all positions are deleted with the contact.
 */
export interface ReadPosition {
  /** The last message in the list that the user has read; null if the conversation had none. */
  readUpTo: string | null;
  /** How many inbound messages the user has read: all that had arrived with the last one. */
  readInbound: number;
}

/** A conversation as one user sees it. */
export interface ReadConversation extends Conversation {
  unreadCount: number;
  readUpTo: string | null;
}

/** The conversation with what a user at this position has not read. Undefined is the position of a user who has read nothing. */
export function readAt(conversation: Conversation, position: ReadPosition | undefined): ReadConversation {
  const { readUpTo = null, readInbound = 0 } = position ?? {};
  // A position that was read after its conversation may be ahead of it.
  const unreadCount = Math.max(0, (conversation.inboundCount ?? 0) - readInbound);
  return { ...conversation, unreadCount, readUpTo };
}

/** The conversations of a page with what the user has not read, in one more round trip. */
export async function readByUser(
  table: TableReader,
  userId: string,
  conversations: readonly Conversation[],
): Promise<ReadConversation[]> {
  const keys = conversations
    .filter(({ messageCount }) => messageCount > 0)
    .map(({ _id }) => readPositionKey(userId, _id));
  // Consistent, because a user who has just read a conversation looks at the list again.
  const stored = keys.length === 0 ? [] : await table.readMany(keys);
  const positions = positionsByConversation(stored.filter((record) => record !== undefined));
  return conversations.map((conversation) => readAt(conversation, positions.get(conversation._id)));
}

/** The position for each conversation of a contact, by the conversation's id. */
export function positionsByConversation(
  positions: readonly Stored<ReadPosition>[],
): ReadonlyMap<string, ReadPosition> {
  return new Map(positions.map(({ key, data }) => [key.sort.at(-1) ?? '', data]));
}

export const readPositionKey = (userId: string, conversationId: string): Key<ReadPosition> => ({
  partition: ['CONTACT', contactIdIn(conversationId)],
  sort: ['READ', userId, conversationId],
});

/** The positions of all users in all conversations of a contact. */
export const readPositionsRange = (contactId: string): Range<ReadPosition> => ({
  partition: ['CONTACT', contactId],
  under: ['READ'],
});

/** The positions of a user in all conversations of a contact. */
export const readPositionRange = (contactId: string, userId: string): Range<ReadPosition> => ({
  partition: ['CONTACT', contactId],
  under: ['READ', userId],
});
