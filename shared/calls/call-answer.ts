import * as z from 'zod/mini';
import { anyText } from '../kernel/fields.ts';
import { callStatuses } from './call.ts';

const textOrNull = z.nullable(anyText);

/** The schema of a call as answered. Source: specification, "Call". */
export const CallAnswer = z
  .object({
    _id: anyText,
    callId: anyText,
    provider: anyText,
    providerCallId: anyText,
    direction: z.enum(['inbound', 'outbound']),
    status: z.enum(callStatuses),
    from: textOrNull,
    to: textOrNull,
    contactId: anyText,
    conversationId: anyText,
    organizationId: anyText,
    userId: anyText,
    providerPhoneNumber: textOrNull,
    startTime: anyText,
    answerTime: textOrNull,
    endTime: textOrNull,
    duration: z.nullable(z.int()),
    recordings: z.array(z.unknown()),
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(
    z.meta({
      id: 'Call',
      description:
        'Numbers are E.164: `from` and `to`, of which one is `providerPhoneNumber`, the number of the user; it is null for a user without one. `answerTime` is null until the call is answered, `endTime` and `duration` (whole seconds from start to end) until it ends. `_id`, `callId` and `providerCallId` are equal.',
    }),
  );

/** `{success: true, call, message}`, of the operations that begin a call. Source: specification, "Calls". */
export const BegunAnswer = z.object({ success: z.literal(true), call: CallAnswer, message: anyText });
