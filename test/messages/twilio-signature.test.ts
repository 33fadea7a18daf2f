import {
  getExpectedBodyHash,
  getExpectedTwilioSignature,
  validateRequest,
} from 'twilio/lib/webhooks/webhooks.js';
import { expect, test } from 'vitest';
import { isTwilioSignature } from '../../shared/messages/twilio-signature.ts';

const authToken = '12345';
const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const parameters = Object.entries({
  CallSid: 'CA1234567890ABCDE',
  Caller: '+14158675309',
  Digits: '1234',
  From: '+14158675309',
  To: '+18005551212',
});

/** The signature of Twilio's own library. */
const signed = (at: string, fields: Iterable<readonly [string, string]> = parameters, token = authToken) =>
  getExpectedTwilioSignature(token, at, objectOf(fields));

/** Fields as Twilio's library takes them: an array where a name comes more than once. */
function objectOf(fields: Iterable<readonly [string, string]>): Record<string, string | string[]> {
  const grouped = Map.groupBy(fields, ([name]) => name);
  return Object.fromEntries(
    [...grouped].map(([name, pairs]) => {
      const values = pairs.map(([, value]) => value);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

test('A form with the signature of the documentation of Twilio is genuine', () => {
  const signature = 'RSOYDt4T1cUTdK1PDd93/VVr8B8=';
  expect(isTwilioSignature({ authToken, url, parameters, signature })).toBe(true);
});

test('A form is genuine whatever the order of its fields', () => {
  const turned = parameters.toReversed();
  expect(isTwilioSignature({ authToken, url, parameters: turned, signature: signed(url) })).toBe(true);
});

test('A form may come from a `URLSearchParams`, with repeated fields, odd names, emoji and empty values', () => {
  const form = new URLSearchParams(
    'MediaUrl=b&MediaUrl=a&MediaUrl=b&Empty=&Body=%F0%9F%91%8B+you&body=1&10=x&9=y&__proto__=z&%E2%82%AC=1&_=2',
  );
  // An object cannot hold every name.
  const plain = new URLSearchParams(form);
  plain.delete('__proto__');
  const signature = signed(url, plain);
  expect(isTwilioSignature({ authToken, url, parameters: plain, signature })).toBe(true);
  expect(isTwilioSignature({ authToken, url, parameters: form, signature })).toBe(false);
});

test('A form is no longer genuine once a field, the URL, the token or the signature is another', () => {
  const signature = signed(url);
  const changed = parameters.map(([name, value]): [string, string] => [
    name,
    name === 'Digits' ? '1235' : value,
  ]);
  expect(isTwilioSignature({ authToken, url, parameters: changed, signature })).toBe(false);
  expect(isTwilioSignature({ authToken, url, parameters: parameters.slice(1), signature })).toBe(false);
  expect(isTwilioSignature({ authToken, url, parameters: [...parameters, ['More', '1']], signature })).toBe(
    false,
  );
  expect(isTwilioSignature({ authToken, url: `${url}&more=1`, parameters, signature })).toBe(false);
  expect(isTwilioSignature({ authToken: '12346', url, parameters, signature })).toBe(false);
  for (const other of [
    undefined,
    '',
    signature.slice(0, -1),
    `${signature}=`,
    signature.toLowerCase(),
    'é'.repeat(28),
  ]) {
    expect(isTwilioSignature({ authToken, url, parameters, signature: other })).toBe(false);
  }
});

/** Whether a request to one URL is genuine when another was signed; our answer is that of Twilio's library. */
function isTaken(called: string, spelling: string): boolean {
  const signature = signed(spelling);
  const taken = isTwilioSignature({ authToken, url: called, parameters, signature });
  const expected = validateRequest(authToken, signature, called, objectOf(parameters));
  expect({ called, spelling, taken }).toEqual({ called, spelling, taken: expected });
  return taken;
}

test.each([
  ['https://mycompany.com/a?b=1', 'https://mycompany.com:443/a?b=1'],
  ['https://mycompany.com:443/a', 'https://mycompany.com/a'],
  ['http://mycompany.com/a', 'http://mycompany.com:80/a'],
  ['https://mycompany.com:8443/a', 'https://mycompany.com/a'],
  ['https://user:secret@mycompany.com/a', 'https://user:secret@mycompany.com:443/a'],
  ['https://[2001:db8::1]/a', 'https://[2001:db8::1]:443/a'],
  ["https://mycompany.com/a?b='", 'https://mycompany.com/a?b=%27'],
  ['https://mycompany.com/a?b=c/d', 'https://mycompany.com/a?b=c%2Fd'],
])('The URL %s may have been signed as %s', (called, spelling) => {
  expect(isTaken(called, spelling)).toBe(true);
});

test.each([
  ['https://mycompany.com/a', 'https://mycompany.com:8443/a'],
  ['https://mycompany.com/a', 'http://mycompany.com/a'],
  ['https://mycompany.com/a', 'https://mycompany.com/a/'],
  ['https://mycompany.com/a', 'https://yourcompany.com/a'],
])('The URL %s cannot have been signed as %s', (called, spelling) => {
  expect(isTaken(called, spelling)).toBe(false);
});

test('The URL is taken in every spelling that the library of Twilio takes, and in no other', () => {
  const pieces = ['a', 'Z', '9', "'", '(', '!', '%27', '%20', '+', '=', '&', '?', 'ü', '~', '/', ';', '%zz'];
  const taken = Array.from({ length: 400 }, (_, seed) => {
    const pick = (_: unknown, index: number) =>
      pieces[(seed * 7 + index * index * 5 + index) % pieces.length];
    const path = Array.from({ length: seed % 5 }, pick)
      .join('')
      .replaceAll('?', '');
    const query = Array.from({ length: seed % 9 }, pick).join('');
    const called = `https://mycompany.com${['', ':443', ':8443'][seed % 3]}/${path}?${query}`;
    return [called, new URL(called).toString(), called.replaceAll("'", '%27'), `${called}x`]
      .flatMap((one) => [one, one.replace(/:\d+/, ''), one.replace('.com/', '.com:443/')])
      .filter((spelling) => isTaken(called, spelling)).length;
  });
  const sum = taken.reduce((total, one) => total + one, 0);
  expect([sum > 1_000, sum < 4_000]).toEqual([true, true]);
});

const rawBody = '{"MessageSid": "SM1", "Body": "Grüße 👋"}';
const hashed = `${url}&bodySHA256=${getExpectedBodyHash(rawBody)}`;

test('A body that is not a form is genuine when its hash is in the signed URL', () => {
  expect(isTwilioSignature({ authToken, url: hashed, rawBody, signature: signed(hashed, []) })).toBe(true);
});

test('A body that is not a form is not genuine when it is another one, or its hash is missing', () => {
  const other = rawBody.replace('SM1', 'SM2');
  expect(isTwilioSignature({ authToken, url: hashed, rawBody: other, signature: signed(hashed, []) })).toBe(
    false,
  );
  expect(isTwilioSignature({ authToken, url, rawBody, signature: signed(url, []) })).toBe(false);
  const forged = `${url}&bodySHA256=${getExpectedBodyHash(other)}`;
  expect(isTwilioSignature({ authToken, url: forged, rawBody: other, signature: signed(hashed, []) })).toBe(
    false,
  );
});

test('Nothing is genuine for an account without a token', () => {
  expect(isTwilioSignature({ authToken: '', url, parameters, signature: signed(url, parameters, '') })).toBe(
    false,
  );
});

test('What is not a URL at all is not genuine, and no error', () => {
  expect(isTwilioSignature({ authToken, url: 'nowhere', parameters, signature: 'x' })).toBe(false);
  expect(isTwilioSignature({ authToken, url: 'nowhere', rawBody: '{}', signature: 'x' })).toBe(false);
});
