import { contactIdIn } from '../kernel/child-id.ts';
import type { MessageFailure } from '../kernel/providers/message-failure.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { PersonalView } from '../organizations/views.ts';
import { type Involved, involvedPeople } from '../organizations/visibility.ts';
import type { Cause } from '../table/cause.ts';
import type { Key, Range } from '../table/key.ts';

export const channels = ['sms', 'voice', 'email', 'webchat'] as const;
export type Channel = (typeof channels)[number];
export type Direction = 'inbound' | 'outbound';

export const messageStatuses = [
  'received',
  'scheduled',
  'queued',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'read',
] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** Assignees of one conversation; it is in the list of each. */
export const conversationAssigneeLimit = 5;

/** A contact has one conversation on each channel. Source: decisions 10, "Conversation". */
export interface Conversation {
  _id: string;
  contactId: string;
  organizationId: string;
  userId: string | null;
  assignees: string[];
  channel: Channel;
  lastMessage: string | null;
  lastMessageAt: Timestamp | null;
  messageCount: number;
  /** The inbound ones among its messages, for unread numbers; absent for none. Not in responses. */
  inboundCount?: number;
  /** Counts the inbound messages that became its last one. Not in responses. */
  turn?: number;
  /** The replies since the last of those; absent in records from before they were counted. Not in responses. */
  replies?: number;
  /** The id of the last message in its list; absent when there is none. Not in responses. */
  lastMessageId?: string;
  isResolved: boolean;
  /** The numbers of the contact's last text message; `to` is the organization's. Replies go back that way. Not in responses. */
  lastInbound?: { from: string; to: string };
  /**
   * The numbers and addresses of the contact that it came with to another one by a merge: their texts and calls go on in it. Not in responses.
   */
  numbers?: string[];
  /** When the contact last got the organization's help message. Not in responses. */
  helpedAt?: Timestamp;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** A conversation in a list. The list of all conversations also stores who may see each. */
export interface InboxEntry extends Conversation {
  people?: string[];
}

/** A file of a message. */
export interface MessageAttachment {
  name: string;
  type: string;
  /** In bytes; null if the provider does not say. */
  size: number | null;
  /** The address of a received file at its provider. Empty for an upload, because every response has a new URL that expires. */
  url: string;
  /** For an upload. Not in responses. */
  key?: string;
}

/** Source: decisions 10, "Message". */
export interface Message {
  _id: string;
  conversationId: string;
  contactId: string;
  direction: Direction;
  content: string;
  attachments: MessageAttachment[];
  channel: Channel;
  /**
   * `received`; for outbound ones `scheduled` until its time, `queued`, then `sent` (accepted by the provider), then what the provider
   * reports: `delivered`, `undelivered` or `failed`, and `read`.
   */
  status: MessageStatus;
  sentBy: string | null;
  providerMessageId: string | null;
  /**
   * How many inbound messages the conversation had when this one arrived, itself included: a user who reads up to it has read that
   * many. Not in responses.
   */
  inboundNumber?: number;
  /** The `turn` of the conversation in which it is a reply; absent for any other message, and until it is sent. Not in responses. */
  replyIn?: number;
  /** The number that it is sent from; null for the standard sender, absent if it is inbound. Not in responses. */
  from?: string | null;
  /** The number that it is sent to, once it is queued; absent if it is inbound. Not in responses. */
  to?: string;
  /** Why it failed; in records from before there were codes, the reason alone. */
  failure?: MessageFailure | string | null;
  deliveredAt?: Timestamp | null;
  /** The failed message in whose place this one is sent. */
  retryOf?: string | null;
  /** When it is sent, if that was scheduled. */
  sendAt?: Timestamp | null;
  /** The missed call that it follows. Not in responses. */
  callId?: string;
  /** The message that is sent in place of this one. Not in responses. */
  retriedBy?: string;
  /** The id of the event of its last change of status. Not in responses. */
  movedIn?: string;
  /** The run of a workflow that sent it. Not in responses. */
  causedBy?: Cause;
  createdAt: Timestamp;
}

/** A conversation without messages. `userId` owns it; null for nobody. */
export function newConversation(
  id: string,
  { _id: contactId, organizationId }: { readonly _id: string; readonly organizationId: string },
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
    replies: 0,
    isResolved: false,
    createdAt: at,
    updatedAt: at,
  };
}

/** The number of a message that the conversation gets next. */
export function nextInboundNumber({ inboundCount = 0 }: Conversation, direction: Direction): number {
  return direction === 'inbound' ? inboundCount + 1 : inboundCount;
}

/** The users who may see a conversation: those who may see the contact, its owner and its assignees. */
export function conversationPeople(contact: Involved, { userId, assignees }: Conversation): string[] {
  return [...new Set([...involvedPeople(contact), ...(userId === null ? [] : [userId]), ...assignees])];
}

export const conversationKey = (id: string): Key<Conversation> => ({
  partition: ['CONTACT', contactIdIn(id)],
  sort: ['CONVERSATION', id],
});

export const conversationRange = (contactId: string): Range<Conversation> => ({
  partition: ['CONTACT', contactId],
  under: ['CONVERSATION'],
});

/** A conversation in a list, ordered by its last message. */
export const inboxEntryKey = (
  view: PersonalView,
  { _id, lastMessageAt, createdAt }: Conversation,
): Key<InboxEntry> => ({ partition: ['INBOX', ...view], sort: [lastMessageAt ?? createdAt, _id] });

export const inboxRange = (view: PersonalView): Range<InboxEntry> => ({ partition: ['INBOX', ...view] });

/** Messages lie beside their conversation. */
export const messageKey = (conversationId: string, id: string): Key<Message> => ({
  partition: ['CONTACT', contactIdIn(conversationId)],
  sort: ['MESSAGE', conversationId, id],
});

export const messageRange = (conversationId: string): Range<Message> => ({
  partition: ['CONTACT', contactIdIn(conversationId)],
  under: ['MESSAGE', conversationId],
});
