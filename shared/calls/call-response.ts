import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../kernel/schemas/fields.ts';
import { callStatuses } from './call.ts';
import { missedCallOutcomes, missedCallReasons } from './missed-call.ts';

const maybeText = z.exactOptional(anyString);
const maybeDateTime = z.exactOptional(dateTime);

const MissedCallResponse = described(
  z.object({
    outcome: z.enum(missedCallOutcomes),
    reason: z.enum([...missedCallReasons, 'daily_limit', 'deleted']),
    messageId: maybeText,
    sendAt: maybeDateTime,
  }),
  {
    outcome:
      '`sent`: the text is queued. `scheduled`: it is sent at the next opening. `skipped`: no text is sent.',
    reason:
      'Why. `switched_off`, `no_message`: the organization sends none. `no_number`: the caller has none, the contact no longer has it, or the called number is no longer assigned. `opted_out`: the contact wants no texts. `cooldown`: the contact got one recently, or one is scheduled. `daily_limit`: the organization has reached its daily limit of text messages. `deleted`: somebody deleted the text before it was sent. `closed`, `open`: the organization was closed or open, which by its policy decides.',
    messageId: 'The text message, once it is queued.',
    sendAt: 'When a scheduled text is due.',
  },
);

const RecordingResponse = described(z.object({ url: anyString, createdAt: dateTime }), {
  url: 'Where the provider has it.',
  createdAt: 'When the provider reported it.',
});

/** Source: specification, "Call"; decisions 8: a field without a value is left out. */
export const CallResponse = described(
  z.object({
    _id: anyString,
    callId: anyString,
    provider: anyString,
    providerCallId: anyString,
    direction: z.enum(['inbound', 'outbound']),
    status: z.enum(callStatuses),
    from: maybeText,
    to: maybeText,
    contactId: anyString,
    conversationId: anyString,
    organizationId: anyString,
    userId: anyString,
    providerPhoneNumber: maybeText,
    startTime: dateTime,
    answerTime: maybeDateTime,
    endTime: maybeDateTime,
    duration: z.exactOptional(z.int()),
    recordings: z.array(RecordingResponse),
    missedCall: z.exactOptional(MissedCallResponse),
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the call.',
    callId: 'The same id.',
    provider: 'The voice provider; `sdk` for a user without a phone number.',
    providerCallId: "The provider's id of the call; for SDK calls the same id.",
    direction: '`inbound`: the contact called. `outbound`: the user called.',
    status: 'How far the call has come, or how it ended.',
    from: 'The number that called, in E.164; left out if it was withheld, or for a user without one.',
    to: 'The number that was called, in E.164; left out for a user without one.',
    contactId: 'The contact on the other end.',
    conversationId: 'The voice conversation of that contact.',
    organizationId: 'The organization it belongs to.',
    userId: 'The user who called or answered; of a call that a provider reports, the user of the number.',
    providerPhoneNumber: "The user's own number, in E.164; left out for a user without one.",
    startTime: 'When the call began.',
    answerTime: 'When it was answered; left out until then.',
    endTime: 'When it ended; left out until then.',
    duration: 'Whole seconds from start to end; left out until it ends.',
    recordings: "The provider's recordings of the call.",
    missedCall: 'For a missed call: what became of the text to the caller.',
    createdAt: 'When the record was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Call', description: 'A telephone call between a user and a contact.' },
);

/** `{success: true, call, message}`, for operations that start a call. Source: specification, "Calls". */
export const StartedCallResponse = described(
  z.object({ success: z.literal(true), call: CallResponse, message: anyString }),
  { success: 'Always true.', call: 'The call.', message: 'What was done.' },
);
