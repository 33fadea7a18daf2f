import * as z from 'zod/mini';
import { described } from '../kernel/descriptions.ts';
import { anyText, dateTime, yesOrNo } from '../kernel/fields.ts';
import { channels } from './conversation.ts';

const textOrNull = z.nullable(anyText);

/** Source: decisions 10, "Conversation". */
export const ConversationResponse = described(
  z.object({
    _id: anyText,
    contactId: anyText,
    organizationId: anyText,
    userId: textOrNull,
    assignees: z.array(anyText),
    channel: z.enum(channels),
    lastMessage: textOrNull,
    lastMessageAt: z.nullable(dateTime),
    messageCount: z.int(),
    isResolved: yesOrNo,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the conversation.',
    contactId: 'The contact it is with.',
    organizationId: 'The organization it belongs to.',
    userId: 'The user whose conversation it is; null for nobody.',
    assignees: 'Further users who take part.',
    channel: 'How its messages travel.',
    lastMessage: 'The text of the last message; null when there is none.',
    lastMessageAt: 'When the last message was sent or received; null when there is none.',
    messageCount: 'How many messages it holds.',
    isResolved: 'Whether it is settled. A new message from the contact opens it again.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Conversation', description: 'What was said with a contact on one channel.' },
);
