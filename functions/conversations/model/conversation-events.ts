import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { type Conversation, conversationPeople } from '../../../shared/conversations/conversation.ts';
import type { NewEvent } from '../../../shared/live/outbox.ts';

/**
 * Tells of a changed conversation those who may see it: by its id and its contact's alone, since some of them may not see the contact,
 * nor in which stage it is. Whoever could see it before and cannot any more is told that it is gone.
 */
export function conversationUpdated(
  contact: StoredContact,
  before: Conversation,
  after: Conversation,
): NewEvent {
  return {
    event: 'contact_updated',
    data: { contactId: contact._id, conversationId: after._id },
    audience: {
      kind: 'record',
      people: conversationPeople(contact, after),
      formerly: conversationPeople(contact, before),
    },
  };
}
