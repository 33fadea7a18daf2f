import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../../shared/kernel/schemas/fields.ts';
import { receiptKinds, receiptStatuses } from '../../../shared/messages/webhook-receipt.ts';

export const ReceiptResponse = described(
  z.object({
    _id: anyString,
    provider: anyString,
    kind: z.enum(receiptKinds),
    status: z.enum(receiptStatuses),
    reason: z.optional(anyString),
    at: dateTime,
    appliedAt: z.optional(dateTime),
    refs: z.optional(z.record(anyString, anyString)),
  }),
  {
    _id: 'The id of the receipt.',
    provider: "The name in the webhook's path; `outreach` for a lead.",
    kind: 'What came: a text, the report of a call, the report of a text, or a lead.',
    status:
      '`kept`: it waits. `applied`: it is stored. `dropped`: it was refused, and is gone. `dead`: it could not be stored in 20 tries.',
    reason:
      'Of one that is `kept`, `deferred`, `number_not_assigned`, `not_signed` or `not_stored`; of one that is `dead`, `given_up`; of one that was dropped, why, in words or `contact_deleted`.',
    at: 'When it came in.',
    appliedAt: 'When it was applied.',
    refs: 'The ids of what it became: `contactId`, `messageId` and so on.',
  },
  {
    id: 'WebhookReceipt',
    description: 'What became of a request to a webhook that was not applied at once.',
  },
);
