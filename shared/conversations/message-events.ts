import type { StoredContact } from '../contacts/contact.ts';
import type { NewEvent } from '../live/outbox.ts';
import { type Conversation, conversationPeople, type Message } from './conversation.ts';

/** Tells those who may see the conversation of a new message in it. */
export function messageCreated(
  contact: StoredContact,
  conversation: Conversation,
  message: Message,
): NewEvent {
  const ids = { messageId: message._id, conversationId: conversation._id, contactId: contact._id };
  return {
    event: 'message_created',
    data: { ...ids, message },
    brief: ids,
    audience: { kind: 'record', people: conversationPeople(contact, conversation) },
  };
}
