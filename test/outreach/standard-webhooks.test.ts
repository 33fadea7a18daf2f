import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { isWebhookSecret, verifiedWebhook } from '../../functions/outreach/model/standard-webhooks.ts';
import { newWebhookSecret } from '../../shared/kernel/secrets/webhook-secret.ts';
import { after as later, minute, second } from '../../shared/kernel/time.ts';

const secret = newWebhookSecret(randomBytes);
const now = new Date('2026-11-20T12:00:00.400Z');
const body = '{"phone": "+15550100", "name": "Zoë 👋"}';
const id = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W';

/** The headers of a delivery that was signed by the official library. */
function responseHeaders(sent: { text?: string; at?: Date; with?: string; as?: string } = {}) {
  const { text = body, at = now, as = id } = sent;
  return {
    'webhook-id': as,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(sent.with ?? secret).sign(as, at, text),
  };
}

const genuine = responseHeaders();
const changed = (some: Partial<typeof genuine>) => ({ ...genuine, ...some });

const verified = { verified: true, id };
const unsigned = { verified: false, reason: 'No signature in webhook-signature matches this request.' };

test('A delivery that the official library has signed is verified, and has its id', () => {
  expect(verifiedWebhook({ secret, headers: responseHeaders(), body, now })).toEqual(verified);
});

test('A delivery with the signature of the specification is verified', () => {
  const example = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    now: new Date(1614265330_000),
  };
  expect(verifiedWebhook(example)).toEqual({ verified: true, id: 'msg_p5jXN8AQM9LWM0D4loKWxJek' });
});

test('A delivery is verified by any of several signatures, as while a secret is rotated', () => {
  const headers = responseHeaders();
  const other = responseHeaders({ with: newWebhookSecret(randomBytes) })['webhook-signature'];
  const list = `v1a,${'A'.repeat(86)}== ${other}  v2,x v1 , ${headers['webhook-signature']}`;
  expect(verifiedWebhook({ secret, headers: { ...headers, 'webhook-signature': list }, body, now })).toEqual(
    verified,
  );
});

test.each([
  ['body', { body: body.replace('Zoë', 'Zoe') }],
  ['byte of whitespace', { body: `${body} ` }],
  ['id', { headers: changed({ 'webhook-id': 'msg_other' }) }],
  ['second', { headers: changed({ 'webhook-timestamp': String(Math.floor(now.getTime() / second) + 1) }) }],
  ['secret', { secret: newWebhookSecret(randomBytes) }],
  [
    'version',
    { headers: changed({ 'webhook-signature': genuine['webhook-signature'].replace('v1', 'v1a') }) },
  ],
  ['signature', { headers: changed({ 'webhook-signature': 'v1,' }) }],
])('A delivery with another %s is refused', (_, change) => {
  expect(verifiedWebhook({ secret, headers: responseHeaders(), body, now, ...change })).toEqual(unsigned);
});

test('A delivery without headers is told which are missing', () => {
  expect(verifiedWebhook({ secret, headers: {}, body, now })).toEqual({
    verified: false,
    reason: 'The request must be signed. Missing headers: webhook-id, webhook-timestamp, webhook-signature.',
  });
  expect(verifiedWebhook({ secret, headers: { ...responseHeaders(), 'webhook-id': '' }, body, now })).toEqual(
    { verified: false, reason: 'The request must be signed. Missing headers: webhook-id.' },
  );
});

const late = {
  verified: false,
  reason: 'The header webhook-timestamp is more than 5 minutes from now.',
};

test.each([
  [-5 * minute, verified],
  [5 * minute, verified],
  [-5 * minute - second, late],
  [5 * minute + second, late],
])('A delivery of %i ms from now is %j', (offset, expected) => {
  const headers = responseHeaders({ at: later(now, offset) });
  expect(verifiedWebhook({ secret, headers, body, now })).toEqual(expected);
});

test.each(['now', '1.5', '-1', '1e9', ' 1', '9'.repeat(20), now.toISOString()])(
  'The time of a delivery must not be "%s"',
  (at) => {
    const headers = { ...responseHeaders(), 'webhook-timestamp': at };
    expect(verifiedWebhook({ secret, headers, body, now })).toEqual({
      verified: false,
      reason: 'The header webhook-timestamp must be a whole number of seconds since 1970.',
    });
  },
);

test('A secret that is made is accepted, by the official library too, and never the same', () => {
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(isWebhookSecret(secret)).toBe(true);
  const sent = responseHeaders({ at: new Date() });
  expect(new Webhook(secret).verify(body, sent)).toEqual(JSON.parse(body));
  expect(newWebhookSecret(randomBytes)).not.toBe(secret);
});

test.each([
  [23, false],
  [24, true],
  [64, true],
  [65, false],
])('A secret of %i bytes is accepted: %s', (size, accepted) => {
  expect(isWebhookSecret(`whsec_${randomBytes(size).toString('base64')}`)).toBe(accepted);
});

test.each([
  '',
  'whsec_',
  'secret',
  secret.slice(6),
  `${secret}=`,
  secret.replace('whsec_', 'whsk_'),
  `whsec_${'ä'.repeat(43)}=`,
])('A secret is not "%s", and nothing is verified with it', (text) => {
  expect(isWebhookSecret(text)).toBe(false);
  expect(() => verifiedWebhook({ secret: text, headers: responseHeaders(), body, now })).toThrow(
    'The secret is not a Standard Webhooks secret',
  );
});
