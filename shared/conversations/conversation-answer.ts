import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';
import { channels } from './conversation.ts';

const textOrNull = z.nullable(anyText);

/** Source: decisions 10, "Conversation". */
export const ConversationAnswer = z
  .object({
    _id: anyText,
    contactId: anyText,
    organizationId: anyText,
    userId: textOrNull,
    assignees: z.array(anyText),
    channel: z.enum(channels),
    lastMessage: textOrNull,
    lastMessageAt: textOrNull,
    messageCount: z.int(),
    isResolved: yesOrNo,
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(
    z.meta({
      id: 'Conversation',
      description:
        '`userId` is whose conversation it is, null for nobody; `assignees` are further users. `lastMessage` is the text of the last message.',
    }),
  );
