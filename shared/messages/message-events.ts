import type { StoredContact } from '../contacts/contact.ts';
import { type Conversation, conversationPeople, type Message } from '../conversations/conversation.ts';
import { shownMessage } from '../conversations/to-message-response.ts';
import { given } from '../kernel/given.ts';
import { type ConversationChange, conversationCreated } from '../live/event-change.ts';
import type { NewEvent } from '../live/outbox.ts';
import { messageNotice } from '../notifications/notice-request.ts';

/** More about an inbound message: its numbers, and its conversation before it, if there was one. */
interface Arrival {
  readonly numbers: { readonly from: string; readonly to: string };
  readonly before: Conversation | undefined;
}

/** The event that tells the users who may see a conversation of a new message. */
export function messageCreated(
  contact: StoredContact,
  conversation: Conversation,
  message: Message,
  arrival?: Arrival,
): NewEvent {
  const told = tellingOf(contact, conversation, message);
  return {
    event: 'message_created',
    ...told,
    ...(message.direction === 'inbound' && { notify: messageNotice(conversation.assignees, contact.owner) }),
    change: {
      message: { ...told.change.message, ...arrival?.numbers },
      ...given({ conversation: transitionOf(conversation, message, arrival) }),
    },
  };
}

/** What becomes of the conversation of a new message. One that begins with it is made at the same time. */
function transitionOf(
  conversation: Conversation,
  { createdAt }: Message,
  arrival: Arrival | undefined,
): ConversationChange | undefined {
  if (conversation.messageCount === 1 && conversation.createdAt === createdAt) {
    return conversationCreated(conversation);
  }
  const { _id, channel } = conversation;
  return arrival?.before?.isResolved ? { _id, channel, transitions: ['reopened'] } : undefined;
}

/** The event that tells the same users that the status of a message changed. */
export function messageUpdated(
  contact: StoredContact,
  conversation: Conversation,
  message: Message,
  { status: was, causedBy }: Pick<Message, 'status' | 'causedBy'>,
): NewEvent {
  const told = tellingOf(contact, conversation, message);
  const change = { message: { ...told.change.message, was } };
  return { event: 'message_updated', ...told, change, causedBy };
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
    change: { message: { direction: message.direction, status: message.status } },
  } as const;
}
