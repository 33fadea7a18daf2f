import * as z from 'zod/mini';
import { described } from '../kernel/descriptions.ts';
import { anyText, dateTime } from '../kernel/fields.ts';
import { callStatuses } from './call.ts';

const textOrNull = z.nullable(anyText);
const dateTimeOrNull = z.nullable(dateTime);

/** Source: specification, "Call". */
export const CallResponse = described(
  z.object({
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
    startTime: dateTime,
    answerTime: dateTimeOrNull,
    endTime: dateTimeOrNull,
    duration: z.nullable(z.int()),
    recordings: z.array(z.unknown()),
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the call.',
    callId: 'The same id.',
    provider: 'The voice provider; `sdk` for a user without a phone number.',
    providerCallId: 'The same id, for SDK calls.',
    direction: '`inbound`: the contact called. `outbound`: the user called.',
    status: 'How far the call has come, or how it ended.',
    from: 'The number that called, in E.164.',
    to: 'The number that was called, in E.164.',
    contactId: 'The contact on the other end.',
    conversationId: 'The voice conversation of that contact.',
    organizationId: 'The organization it belongs to.',
    userId: 'The user who called, or who answered.',
    providerPhoneNumber: "The user's own number, in E.164; null for a user without one.",
    startTime: 'When the call began.',
    answerTime: 'When it was answered; null until then.',
    endTime: 'When it ended; null until then.',
    duration: 'Whole seconds from start to end; null until it ends.',
    recordings: "The provider's recordings of the call.",
    createdAt: 'When the record was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Call', description: 'A telephone call between a user and a contact.' },
);

/** `{success: true, call, message}`, for operations that start a call. Source: specification, "Calls". */
export const StartedCallResponse = described(
  z.object({ success: z.literal(true), call: CallResponse, message: anyText }),
  { success: 'Always true.', call: 'The call.', message: 'What was done.' },
);
