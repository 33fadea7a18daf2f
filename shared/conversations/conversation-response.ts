import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../kernel/schemas/fields.ts';
import { channels } from './conversation.ts';

const textOrNull = z.nullable(anyString);

/** Source: decisions 10, "Conversation". */
export const ConversationResponse = described(
  z.object({
    _id: anyString,
    contactId: anyString,
    organizationId: anyString,
    userId: textOrNull,
    assignees: z.array(anyString),
    channel: z.enum(channels),
    lastMessage: textOrNull,
    lastMessageAt: z.nullable(dateTime),
    messageCount: z.int(),
    unreadCount: z.int(),
    readUpTo: textOrNull,
    isResolved: anyBoolean,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the conversation.',
    contactId: 'The contact it is with.',
    organizationId: 'The organization it belongs to.',
    userId: 'The user the conversation belongs to; null for nobody.',
    assignees: 'Other users who take part.',
    channel: 'The channel of its messages.',
    lastMessage: 'The text of the last message; null when there is none.',
    lastMessageAt: 'When the last message was sent or received; null when there is none.',
    messageCount: 'How many messages it holds.',
    unreadCount:
      'How many inbound messages you have not read yet, all of them before you first mark the conversation as read. Writing a message marks nothing as read.',
    readUpTo:
      'The message up to which you have read; null before you first mark the conversation as read. Where your `conversationOpenPreference` is `last_position`, open the conversation at this message; where it is `first_unread`, at the first inbound message after it.',
    isResolved: 'Whether it is resolved. A new message from the contact reopens it.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Conversation', description: 'A conversation with a contact on one channel.' },
);
