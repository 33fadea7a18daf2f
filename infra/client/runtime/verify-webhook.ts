import type { WebhookRequest } from './types.ts';

/** A request that this endpoint should refuse: the service did not send it, or not now. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * The event of a request that a webhook endpoint got, once one of its signatures is right. Source: the specification of Standard
 * Webhooks.
 * @throws WebhookVerificationError otherwise.
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  toleranceSeconds = 300,
}: WebhookRequest): Promise<unknown> {
  const bytes = bytesOf(body);
  const [id, time, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerIn(headers, `webhook-${name}`),
  ) as [string, string, string];
  const age = Math.abs(Date.now() / 1000 - Number(time));
  if (!/^\d+$/.test(time) || !(age <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      `webhook-timestamp is not within ${toleranceSeconds} seconds of this clock.`,
    );
  }
  const signed = await new Blob([`${id}.${time}.`, bytes]).arrayBuffer();
  const key = await importSecret(secret);
  for (const signature of signatures.split(' ')) {
    const [version, digest = ''] = signature.split(',');
    const sent = version === 'v1' ? decoded(digest) : undefined;
    // The runtime compares in constant time.
    if (sent && (await crypto.subtle.verify('HMAC', key, sent, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes));
    }
  }
  throw new WebhookVerificationError('No signature in webhook-signature is one of this secret.');
}

function bytesOf(body: WebhookRequest['body']): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') {
    return new TextEncoder().encode(body);
  }
  // A framework's parser makes an object of it, of which nobody can tell what was signed.
  if (body?.byteLength === undefined) {
    throw new TypeError('body must be the text or the bytes as they came, before any parser.');
  }
  return new Uint8Array(body);
}

function headerIn(headers: WebhookRequest['headers'], name: string): string {
  const pairs: [string, unknown][] =
    headers instanceof Headers ? [...headers] : Object.entries(headers as Record<string, unknown>);
  const [, value] = pairs.find(([sent]) => sent.toLowerCase() === name) ?? [];
  const text = String((Array.isArray(value) ? value[0] : value) ?? '');
  if (text === '') {
    throw new WebhookVerificationError(`The header ${name} is missing.`);
  }
  return text;
}

/** The bytes of a text in base64; undefined if it is none. */
function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = decoded(secret?.replace(/^whsec_/, '') ?? '');
  if (bytes === undefined || bytes.length === 0) {
    throw new TypeError('secret must be the whsec_… of the endpoint.');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}
