import type { ContactState } from '../contact-aggregate/contact-aggregate.ts';
import type { StoredContact } from '../contacts/contact.ts';
import type { Timestamp } from '../time.ts';
import type { Channel, Conversation, Message } from './conversation.ts';

/** The contact's conversation on a channel. There is at most one, because adding one requires the contact's version. */
export function conversationOn({ conversations }: ContactState, channel: Channel): Conversation | undefined {
  return conversations.find((conversation) => conversation.channel === channel);
}

/** A conversation without messages. `userId` owns it; null for nobody. */
export function newConversation(
  id: string,
  { _id: contactId, organizationId }: Pick<StoredContact, '_id' | 'organizationId'>,
  channel: Channel,
  userId: string | null,
  at: Timestamp,
): Conversation {
  return {
    _id: id,
    contactId,
    organizationId,
    userId,
    assignees: [],
    channel,
    lastMessage: null,
    lastMessageAt: null,
    messageCount: 0,
    isResolved: false,
    createdAt: at,
    updatedAt: at,
  };
}

/** The aggregate with a conversation added or replaced. */
export function withConversation(state: ContactState, conversation: Conversation): ContactState {
  const others = state.conversations.filter(({ _id }) => _id !== conversation._id);
  const conversations = [...others, conversation];
  const conversationAssignees = [...new Set(conversations.flatMap(({ assignees }) => assignees))];
  return { ...state, contact: { ...state.contact, conversationAssignees }, conversations };
}

/**
 * The aggregate with the changed contact. The conversations of a former owner get the new one: otherwise somebody who may no
 * longer see the contact could read new messages. Assignees stay, because somebody chose each of them.
 */
export function withContact(state: ContactState, contact: StoredContact): ContactState {
  const { owner: former } = state.contact;
  const { owner: userId, updatedAt } = contact;
  if (former === null || former === userId) {
    return { ...state, contact };
  }
  const conversations = state.conversations.map((conversation) =>
    conversation.userId === former ? { ...conversation, userId, updatedAt } : conversation,
  );
  return { ...state, contact, conversations };
}

/**
 * The aggregate with a message in this conversation. Contact and conversation store it as the last message, unless they have a
 * later one, and an inbound message reopens a resolved conversation.
 */
export function withMessage(state: ContactState, conversation: Conversation, message: Message): ContactState {
  const { createdAt: at, content, direction } = message;
  const isLatest = (known: Timestamp | null) => known === null || known <= at;
  const told: Conversation = {
    ...conversation,
    ...(isLatest(conversation.lastMessageAt) ? { lastMessage: content, lastMessageAt: at } : {}),
    messageCount: conversation.messageCount + 1,
    isResolved: direction === 'inbound' ? false : conversation.isResolved,
    updatedAt: at,
  };
  const { contact, ...rest } = withConversation(state, told);
  return isLatest(contact.lastMessageAt)
    ? { ...rest, contact: { ...contact, lastMessageAt: at, lastMessageDirection: direction } }
    : { ...rest, contact };
}
