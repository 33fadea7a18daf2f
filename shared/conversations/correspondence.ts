import type { ContactState } from '../contact-aggregate/contact-aggregate.ts';
import type { StoredContact } from '../contacts/contact.ts';
import type { Timestamp } from '../time.ts';
import type { Channel, Conversation, Message } from './conversation.ts';

/** The contact's conversation on a channel. There is one at most, since the contact's version guards their number. */
export function conversationOn({ conversations }: ContactState, channel: Channel): Conversation | undefined {
  return conversations.find((conversation) => conversation.channel === channel);
}

/** A conversation that nothing was said in yet. `userId` is who it belongs to; null for nobody. */
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

/** The aggregate with the conversation added or in place of the one with its id. */
export function withConversation(state: ContactState, conversation: Conversation): ContactState {
  const others = state.conversations.filter(({ _id }) => _id !== conversation._id);
  const conversations = [...others, conversation];
  const conversationAssignees = [...new Set(conversations.flatMap(({ assignees }) => assignees))];
  return { ...state, contact: { ...state.contact, conversationAssignees }, conversations };
}

/**
 * The aggregate with the contact in place of its former self. The conversations of its former owner go to the new one: else
 * somebody who cannot see the contact any more would read what it writes from then on. Assignees stay: they were chosen one by one.
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
 * The aggregate after a message in this conversation: contact and conversation tell of it, unless they know of a later one, and
 * a resolved conversation that somebody writes to is open again.
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
