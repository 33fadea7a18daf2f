import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { type Conversation, conversationPeople } from '../../../shared/conversations/conversation.ts';
import type { NewEvent } from '../../../shared/live/outbox.ts';
import { assignmentNotice } from '../../../shared/notifications/notice-request.ts';

/**
 * The event that tells the users who may see a conversation of its change, and those who no longer may that it is gone. It names
 * only the conversation and its contact, because some of them may not see the contact, nor its stage. Whoever was given it is
 * notified, but for who gave it.
 */
export function conversationUpdated(
  contact: StoredContact,
  before: Conversation,
  after: Conversation,
  by: string,
): NewEvent {
  return {
    event: 'contact_updated',
    data: { contactId: contact._id, conversationId: after._id },
    audience: {
      kind: 'record',
      people: conversationPeople(contact, after),
      formerly: conversationPeople(contact, before),
    },
    notify: assignmentNotice(assignedOf(before), assignedOf(after), by),
  };
}

const assignedOf = ({ userId: owner, assignees }: Conversation) => ({ owner, assignees });
