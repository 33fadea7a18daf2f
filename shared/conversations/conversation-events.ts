import type { StoredContact } from '../contacts/contact.ts';
import type { NewEvent } from '../live/outbox.ts';
import { type Conversation, conversationPeople } from './conversation.ts';

/**
 * Tells of a changed conversation those who may see it: by the ids alone, since some of them may not see the contact. Whoever
 * could see it before and cannot any more is told that it is gone.
 */
export function conversationUpdated(
  contact: StoredContact,
  before: Conversation,
  after: Conversation,
): NewEvent {
  const { _id: contactId, pipelineId, stageId } = contact;
  return {
    event: 'contact_updated',
    data: { contactId, pipelineId, stageId, conversationId: after._id },
    audience: {
      kind: 'record',
      people: conversationPeople(contact, after),
      formerly: conversationPeople(contact, before),
    },
  };
}
