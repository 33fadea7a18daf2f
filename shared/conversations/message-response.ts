import * as z from 'zod/mini';
import { described } from '../kernel/descriptions.ts';
import { anyText, dateTime } from '../kernel/fields.ts';
import { channels } from './conversation.ts';

const textOrNull = z.nullable(anyText);

const MessageAttachmentResponse = described(
  z.object({ name: anyText, type: anyText, size: z.nullable(z.int()), url: anyText }),
  {
    name: 'The name of the file.',
    type: 'Its content type, like `image/png`.',
    size: 'Its size in bytes; null if the provider does not say.',
    url: 'Where to download it. For a file that a user uploaded, valid for an hour.',
  },
);

/** Source: decisions 10, "Message". */
export const MessageResponse = described(
  z.object({
    _id: anyText,
    conversationId: anyText,
    contactId: anyText,
    direction: z.enum(['inbound', 'outbound']),
    content: anyText,
    attachments: z.array(MessageAttachmentResponse),
    channel: z.enum(channels),
    status: anyText,
    sentBy: textOrNull,
    providerMessageId: textOrNull,
    createdAt: dateTime,
  }),
  {
    _id: 'The id of the message.',
    conversationId: 'The conversation it is in.',
    contactId: 'The contact who wrote or received it.',
    direction: '`inbound`: from the contact. `outbound`: to the contact.',
    content: 'The text.',
    attachments: 'Files sent with it.',
    channel: 'The channel of the message.',
    status:
      '`received` for an inbound message. An outbound one is `queued`, then `sent` once the provider has accepted it, or `failed`.',
    sentBy: 'The user who wrote an outbound message.',
    providerMessageId: "The provider's id for it; null until the provider has accepted it.",
    createdAt: 'When it was written or received.',
  },
  { id: 'Message', description: 'A message in a conversation.' },
);
