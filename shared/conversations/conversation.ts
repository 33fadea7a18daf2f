import type { Timestamp } from '../time.ts';

export type Channel = 'sms' | 'voice' | 'email' | 'webchat';
export type Direction = 'inbound' | 'outbound';

/** Source: decisions 10, "Conversation". */
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
