import type { StoredContact } from '../contacts/contact.ts';
import { type Conversation, conversationPeople, type Message } from '../conversations/conversation.ts';
import type { NewEvent } from '../live/outbox.ts';

/** The event that tells the users who may see a conversation of a new message. */
export function messageCreated(
  contact: StoredContact,
  conversation: Conversation,
  { inboundNumber: _, ...message }: Message,
): NewEvent {
  const ids = { messageId: message._id, conversationId: conversation._id, contactId: contact._id };
  return {
    event: 'message_created',
    data: { ...ids, message },
    brief: ids,
    audience: { kind: 'record', people: conversationPeople(contact, conversation) },
  };
}
