import type { StoredContact } from '../contacts/contact.ts';
import { type Conversation, conversationPeople, type Message } from '../conversations/conversation.ts';
import { shownMessage } from '../conversations/to-message-response.ts';
import type { NewEvent } from '../live/outbox.ts';
import { messageNotice } from '../notifications/notice-request.ts';

/** The event that tells the users who may see a conversation of a new message. */
export function messageCreated(
  contact: StoredContact,
  conversation: Conversation,
  message: Message,
): NewEvent {
  return {
    event: 'message_created',
    ...tellingOf(contact, conversation, message),
    ...(message.direction === 'inbound' && { notify: messageNotice(conversation.assignees, contact.owner) }),
  };
}

/** The event that tells the same users that a message has moved on. */
export function messageUpdated(
  contact: StoredContact,
  conversation: Conversation,
  message: Message,
): NewEvent {
  return { event: 'message_updated', ...tellingOf(contact, conversation, message) };
}

/** The event that tells the same users that a message is gone. */
export function messageDeleted(
  contact: StoredContact,
  conversation: Conversation,
  messageId: string,
): NewEvent {
  return {
    event: 'message_deleted',
    data: { messageId, conversationId: conversation._id, contactId: contact._id },
    audience: { kind: 'record', people: conversationPeople(contact, conversation) },
  };
}

function tellingOf(contact: StoredContact, conversation: Conversation, message: Message) {
  const ids = { messageId: message._id, conversationId: conversation._id, contactId: contact._id };
  return {
    data: { ...ids, message: shownMessage(message) },
    brief: ids,
    audience: { kind: 'record', people: conversationPeople(contact, conversation) },
  } as const;
}
