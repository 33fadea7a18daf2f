import { createHmac, timingSafeEqual } from 'node:crypto';
import { webhookSecretPrefix as prefix } from '../../../shared/kernel/secrets/webhook-secret.ts';
import { epochSeconds, minute, second } from '../../../shared/kernel/time.ts';

/** In bytes. */
const shortestSecret = 24;
const longestSecret = 64;

/** The most seconds between the sender's clock and ours; an older delivery may be a replay. */
const tolerance = (5 * minute) / second;

export interface SignedDelivery {
  /** From `newWebhookSecret`, or accepted by `isWebhookSecret`. */
  readonly secret: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as it was sent. */
  readonly body: string;
  readonly now: Date;
}

/** The result of the check; `id` is the same for repeated deliveries, `reason` is for the sender. */
export type Verification =
  | { readonly verified: true; readonly id: string }
  | { readonly verified: false; readonly reason: string };

/** Checks a delivery by the Standard Webhooks specification. @throws when the secret is not valid. */
export function verifiedWebhook({ secret, headers, body, now }: SignedDelivery): Verification {
  if (!isWebhookSecret(secret)) {
    throw new Error('The secret is not a Standard Webhooks secret; with it anybody could sign');
  }
  const missing = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].filter((name) => !headers[name]);
  if (missing.length > 0) {
    return refusal(`The request must be signed. Missing headers: ${missing.join(', ')}.`);
  }
  const { 'webhook-id': id = '', 'webhook-timestamp': sentAt = '', 'webhook-signature': list = '' } = headers;
  if (!/^\d{1,15}$/.test(sentAt)) {
    return refusal('The header webhook-timestamp must be a whole number of seconds since 1970.');
  }
  if (Math.abs(epochSeconds(now) - Number(sentAt)) > tolerance) {
    return refusal('The header webhook-timestamp is more than 5 minutes from now.');
  }
  const expected = createHmac('sha256', keyOf(secret)).update(`${id}.${sentAt}.${body}`).digest();
  const isSigned = list.split(' ').some((signature) => isSignature(signature, expected));
  return isSigned
    ? { verified: true, id }
    : refusal('No signature in webhook-signature matches this request.');
}

/** Whether a text is `whsec_` and 24 to 64 bytes in padded base64. */
export function isWebhookSecret(text: string): boolean {
  const key = keyOf(text);
  return (
    text === prefix + key.toString('base64') && key.length >= shortestSecret && key.length <= longestSecret
  );
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}

function isSignature(text: string, expected: Buffer): boolean {
  const [version, signature = ''] = text.split(',');
  const sent = Buffer.from(signature, 'base64');
  return version === 'v1' && sent.length === expected.length && timingSafeEqual(sent, expected);
}

function refusal(reason: string): Verification {
  return { verified: false, reason };
}
