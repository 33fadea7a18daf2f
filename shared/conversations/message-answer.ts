import * as z from 'zod/mini';
import { anyText } from '../kernel/fields.ts';
import { channels } from './conversation.ts';

const textOrNull = z.nullable(anyText);

/** Source: decisions 10, "Message". */
export const MessageAnswer = z
  .object({
    _id: anyText,
    conversationId: anyText,
    contactId: anyText,
    direction: z.enum(['inbound', 'outbound']),
    content: anyText,
    attachments: z.array(z.object({ name: anyText, type: anyText, size: z.nullable(z.int()), url: anyText })),
    channel: z.enum(channels),
    status: anyText,
    sentBy: textOrNull,
    providerMessageId: textOrNull,
    createdAt: anyText,
  })
  .check(
    z.meta({
      id: 'Message',
      description:
        '`status` is `received` for inbound messages; outbound ones are `queued`, then `sent`, which is taken by the provider, or `failed`. `sentBy` is the user who wrote an outbound message. The `url` of an attachment that a user uploaded works for an hour; `size` is in bytes, null where the provider does not tell.',
    }),
  );
