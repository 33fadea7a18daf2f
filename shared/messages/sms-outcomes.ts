import { Failure } from '../kernel/failure.ts';
import type { SmsOutcome } from './sms-provider.ts';

/** Why a provider refuses a message for good, by Twilio's error codes, in words for the sender. */
const reasons: readonly (readonly [reason: string, ...codes: number[]])[] = [
  ['The number is not a valid phone number.', 21211],
  ['The number cannot receive text messages.', 21265, 21614, 21635, 30006],
  ['The number cannot be reached.', 21612, 30003, 30005],
  ['The recipient has opted out of messages from this sender.', 21610],
  ['A number cannot send messages to itself.', 21266],
  ['Sending to the region of this number is not enabled.', 21408],
  ['The message was filtered as unwanted, by the provider or by the carrier.', 30004, 30007],
  ['The trial account of the provider sends to verified numbers only.', 21608],
  ['The number of the sender cannot send text messages.', 21212, 21603, 21606, 21659, 21660, 21661],
  ['The messaging service at the provider cannot send.', 21701, 21703, 21705],
  ['The message is empty.', 21602, 21619],
  ['The message is longer than 1,600 characters.', 21605, 21617],
  ['The provider cannot read an attachment.', 21620],
  ['The message has more than 10 attachments.', 21623],
];

const reasonByCode = new Map(reasons.flatMap(([reason, ...codes]) => codes.map((code) => [code, reason])));

/** Whether a code means that the message will certainly never be sent. */
export function isRefusal(code: number | undefined): boolean {
  return code !== undefined && reasonByCode.has(code);
}

export function refused(code: number): SmsOutcome & { status: 'failed' } {
  return failed(reasonByCode.get(code) ?? `The provider refused the message (code ${code}).`);
}

export function failed(reason: string): SmsOutcome & { status: 'failed' } {
  return { status: 'failed', reason };
}

/** The message's fields for an outcome. */
export function resultOf(outcome: SmsOutcome) {
  return outcome.status === 'sent' ? outcome : { status: outcome.status, failure: outcome.reason };
}

/** The error for a provider that cannot be reached or asks to wait. `cause` is only for the log. */
export function providerUnavailable(cause: unknown): Failure {
  return new Failure(
    'UNAVAILABLE',
    'The SMS provider accepts no messages at the moment. Try again shortly.',
    {
      retryAfter: 5,
      cause,
    },
  );
}
