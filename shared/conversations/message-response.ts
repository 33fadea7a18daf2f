import * as z from 'zod/mini';
import { failureWords } from '../kernel/providers/message-failure.ts';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../kernel/schemas/fields.ts';
import { channels, messageStatuses } from './conversation.ts';

const textOrNull = z.nullable(anyString);

const MessageAttachmentResponse = described(
  z.object({ name: anyString, type: anyString, size: z.nullable(z.int()), url: anyString }),
  {
    name: 'The name of the file.',
    type: 'Its content type, like `image/png`.',
    size: 'Its size in bytes; null if the provider does not say.',
    url: 'Where to download it. For a file that a user uploaded, valid for an hour.',
  },
);

const ownCodes = Object.entries(failureWords)
  .map(([code, meaning]) => `\`${code}\` (${meaning})`)
  .join(', ');

const FailureResponse = described(z.object({ code: anyString, reason: anyString }), {
  code: `The error code of the provider, like \`30005\`, or ${ownCodes}.`,
  reason: 'Why, in words for the user who sent the message.',
});

/** Source: decisions 10, "Message". */
export const MessageResponse = described(
  z.object({
    _id: anyString,
    conversationId: anyString,
    contactId: anyString,
    direction: z.enum(['inbound', 'outbound']),
    content: anyString,
    attachments: z.array(MessageAttachmentResponse),
    channel: z.enum(channels),
    status: z.enum(messageStatuses),
    sentBy: textOrNull,
    providerMessageId: textOrNull,
    failure: z.nullable(FailureResponse),
    segments: z.nullable(z.int()),
    deliveredAt: z.nullable(dateTime),
    retryOf: textOrNull,
    sendAt: z.nullable(dateTime),
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
      '`received` for an inbound message. An outbound one is `scheduled` until its `sendAt`, if it has one, then `queued`, then `sent` once the provider has accepted it, then `delivered`, `undelivered` or `failed` as the provider reports, and `read` where the provider tells that. It never goes back, and the first of `delivered`, `undelivered` and `failed` stays.',
    sentBy: 'The user who wrote an outbound message; null for one that the service sent automatically.',
    providerMessageId: "The provider's id for it; null until the provider has accepted it.",
    failure: 'Why it is `failed` or `undelivered`; null otherwise.',
    segments:
      'How many SMS segments it is sent as, and so costs: of 160 characters (153 each if there are several), or of 70 (67) if any character is not in the GSM alphabet; `^{}\\[~]|€` count twice. 1 for a message with attachments; null on other channels than `sms`.',
    deliveredAt: 'When it was delivered, if the provider reported it; null otherwise.',
    retryOf: 'The failed message that this one retries; null otherwise.',
    sendAt: 'For a scheduled message, when it is to be sent, or was; null otherwise.',
    createdAt: 'When it was written or received.',
  },
  { id: 'Message', description: 'A message in a conversation.' },
);
