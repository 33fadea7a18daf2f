import { Failure } from '../failure.ts';
import type { failureWords, MessageFailure } from './message-failure.ts';
import type { SmsOutcome } from './sms-provider.ts';

/**
 * Why a provider does not send or deliver a message, by Twilio's error codes, in words for the sender. Source:
 * https://www.twilio.com/docs/api/errors
 */
const reasons: readonly (readonly [reason: string, ...codes: number[]])[] = [
  ['The number is not a valid phone number.', 21211],
  ['The number cannot receive text messages. It may be a landline.', 21265, 21614, 21635, 30006],
  ['The number cannot be reached at the moment. The phone may be switched off or without service.', 30003],
  ['The number cannot be reached.', 21612],
  ['The number does not exist or is no longer in use.', 30005],
  ['The recipient has opted out of messages from this sender.', 21610],
  ['A number cannot send messages to itself.', 21266],
  ['Sending to the region of this number is not enabled.', 21408],
  ['The message was blocked by the carrier, or the recipient blocks messages.', 30004],
  ['The message was filtered as unwanted, by the provider or by the carrier.', 30007],
  ['The trial account of the provider sends to verified numbers only.', 21608],
  ['The number of the sender cannot send text messages.', 21212, 21603, 21606, 21659, 21660, 21661],
  [
    'The number of the sender is not registered for business messages in this country. Ask an ADMIN.',
    30032,
    30034,
  ],
  ['The messaging service at the provider cannot send.', 21701, 21703, 21705],
  ['The message is empty.', 21602, 21619],
  ['The message is longer than 1,600 characters.', 21605, 21617],
  ['The provider cannot read an attachment.', 21620, 30019, 12300],
  ['The message has more than 10 attachments.', 21623],
];

const reasonByCode = new Map(
  reasons.flatMap(([reason, ...codes]) => codes.map((code) => [String(code), reason])),
);

/** Whether a code means that the message will certainly never be sent. */
export function isRefusal(code: number | undefined): boolean {
  return code !== undefined && reasonByCode.has(String(code));
}

/** The outcome of a message that the provider refused with this code. */
export function refused(code: number): SmsOutcome & { status: 'failed' } {
  const reason = reasonByCode.get(String(code)) ?? `The provider refused the message (code ${code}).`;
  return { status: 'failed', code: String(code), reason };
}

/** The failure of a message that the provider took and could not deliver. */
export function undelivered(code: string | undefined): MessageFailure {
  if (code === undefined) {
    return { code: 'UNKNOWN', reason: 'The message could not be delivered. The provider does not say why.' };
  }
  return {
    code,
    reason: reasonByCode.get(code) ?? `The provider could not deliver the message (code ${code}).`,
  };
}

/** The outcome for a message that never came to the provider. */
export function failed(code: keyof typeof failureWords, reason: string): SmsOutcome & { status: 'failed' } {
  return { status: 'failed', code, reason };
}

/** The error for a provider that cannot be reached or asks to wait. `cause` is only for the log. */
export function providerUnavailable(cause: unknown): Failure {
  return new Failure(
    'UNAVAILABLE',
    'The SMS provider is not accepting messages at the moment. Try again shortly.',
    {
      retryAfter: 5,
      cause,
    },
  );
}
