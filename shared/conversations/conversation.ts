import type { Timestamp } from '../time.ts';
import { type Involved, peopleOf } from '../visibility.ts';

export const channels = ['sms', 'voice', 'email', 'webchat'] as const;
export type Channel = (typeof channels)[number];
export type Direction = 'inbound' | 'outbound';

/** Assignees of one conversation: it is filed under each. */
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
  isResolved: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** Source: decisions 10, "Message". */
export interface Message {
  _id: string;
  conversationId: string;
  contactId: string;
  direction: Direction;
  content: string;
  attachments: { name: string; type: string; size: number; url: string }[];
  channel: Channel;
  status: string;
  sentBy: string | null;
  providerMessageId: string | null;
  createdAt: Timestamp;
}

/** Who may see a conversation: whoever may see the contact, and those it was given to. */
export function conversationPeople(contact: Involved, { userId, assignees }: Conversation): string[] {
  return [...new Set([...peopleOf(contact), ...(userId === null ? [] : [userId]), ...assignees])];
}
