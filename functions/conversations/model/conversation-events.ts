import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { newlyAssigned } from '../../../shared/contacts/newly-assigned.ts';
import { type Conversation, conversationPeople } from '../../../shared/conversations/conversation.ts';
import type { ConversationTransition, EventChange } from '../../../shared/events/event-change.ts';
import type { NewEvent } from '../../../shared/events/outbox.ts';
import { assignmentNotification } from '../../../shared/notifications/notification-request.ts';

/**
 * The event that tells the users who may see a conversation of its change, and those who no longer may that it is gone. It names
 * only the conversation and its contact, because some of them may not see the contact, nor its stage. The users who were assigned to
 * it are notified, except the one who made the change.
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
    notify: assignmentNotification(assignedOf(before), assignedOf(after), by),
    change: changeOf(before, after),
  };
}

/** The result of a user's change of a conversation. */
function changeOf(before: Conversation, after: Conversation): EventChange {
  const assigned = newlyAssigned(assignedOf(before), assignedOf(after));
  const transitions: ConversationTransition[] = [];
  if (assigned.length > 0) {
    transitions.push('assigned');
  }
  if (before.isResolved !== after.isResolved) {
    transitions.push(after.isResolved ? 'resolved' : 'reopened');
  }
  const { _id, channel } = after;
  return { conversation: { _id, channel, transitions, ...(assigned.length > 0 && { assigned }) } };
}

const assignedOf = ({ userId: owner, assignees }: Conversation) => ({ owner, assignees });
