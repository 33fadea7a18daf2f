import type { StoredContact } from '../contacts/contact.ts';
import { shownMessage } from '../conversations/build-message-response.ts';
import { type Conversation, conversationPeople, type Message } from '../conversations/conversation.ts';
import { type ConversationChange, conversationCreated } from '../events/event-change.ts';
import type { NewEvent } from '../events/outbox.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import { messageNotification } from '../notifications/notification-request.ts';

/** More about an inbound message: its numbers, and its conversation before it, if there was one. */
interface Inbound {
  readonly numbers: { readonly from: string; readonly to: string };
  readonly before: Conversation | undefined;
}

/** The event that tells the users who may see a conversation of a new message. */
export function messageCreated(
  contact: StoredContact,
  conversation: Conversation,
  message: Message,
  inbound?: Inbound,
): NewEvent {
  const parts = partsOf(contact, conversation, message);
  return {
    event: 'message_created',
    ...parts,
    ...(message.direction === 'inbound' && {
      notify: messageNotification(conversation.assignees, contact.owner),
    }),
    change: {
      message: { ...parts.change.message, ...inbound?.numbers },
      ...definedOnly({ conversation: transitionOf(conversation, message, inbound) }),
    },
  };
}

/** The effect of a new message on its conversation. One that begins with it is made at the same time. */
function transitionOf(
  conversation: Conversation,
  { createdAt }: Message,
  inbound: Inbound | undefined,
): ConversationChange | undefined {
  if (conversation.messageCount === 1 && conversation.createdAt === createdAt) {
    return conversationCreated(conversation);
  }
  const { _id, channel } = conversation;
  return inbound?.before?.isResolved ? { _id, channel, transitions: ['reopened'] } : undefined;
}

/** The event that tells the same users that the status of a message changed. */
export function messageUpdated(
  contact: StoredContact,
  conversation: Conversation,
  message: Message,
  { status: was, causedBy }: Pick<Message, 'status' | 'causedBy'>,
): NewEvent {
  const parts = partsOf(contact, conversation, message);
  const change = { message: { ...parts.change.message, was } };
  return { event: 'message_updated', ...parts, change, causedBy };
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

/** The common part of the events about a message. */
function partsOf(contact: StoredContact, conversation: Conversation, message: Message) {
  const ids = { messageId: message._id, conversationId: conversation._id, contactId: contact._id };
  return {
    data: { ...ids, message: shownMessage(message) },
    brief: ids,
    audience: { kind: 'record', people: conversationPeople(contact, conversation) },
    change: { message: { direction: message.direction, status: message.status } },
  } as const;
}
