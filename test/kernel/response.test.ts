import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { JsonText } from '../../shared/kernel/http/json-text.ts';
import { Oversized, response } from '../../shared/kernel/http/response.ts';

/** Bytes of the largest body that Lambda passes on, quotes around it included. */
const largest = Math.floor(5.9 * 1024 * 1024);

const options = (contentType: string) => ({
  requestId: 'r',
  acceptsGzip: false,
  overHttps: true,
  contentType,
});

/** As many of `unit` as fit, each of `bytes` bytes when it is passed on, and letters up to the byte. */
function filled(unit: string, bytes: number, room: number): string {
  return unit.repeat(Math.floor(room / bytes)) + 'a'.repeat(room % bytes);
}

test.each([
  ['letters', 'a', 1],
  ['quotes', '"', 2],
  ['backslashes', '\\', 2],
  ['line ends', '\n', 2],
  ['control characters', '\u0001', 6],
  ['characters of two bytes', 'é', 2],
  ['characters of three bytes', '結', 3],
  ['characters of four bytes', '😀', 4],
  ['lone surrogates', '\ud800', 6],
  ['characters that look like control characters', '\u007f', 1],
])('A text of %s is compressed unasked from the byte on that is too many', (_what, unit, bytes) => {
  const text = filled(unit, bytes, largest - 2);
  const fits = response(200, text, options('text/html'));
  expect(fits.isBase64Encoded).toBeUndefined();
  expect(Buffer.byteLength(JSON.stringify(fits.body))).toBe(largest);

  const tooLong = response(200, `${text}a`, options('text/html'));
  expect(tooLong.isBase64Encoded).toBe(true);
  expect(gunzipSync(Buffer.from(tooLong.body, 'base64')).equals(Buffer.from(`${text}a`))).toBe(true);
});

test.each([
  ['letters', 'a', 1],
  ['quotes', '\\"', 4],
  ['backslashes', '\\\\', 4],
  ['characters of three bytes', '結', 3],
])('JSON of %s is compressed unasked from the byte on that is too many', (_what, unit, bytes) => {
  const inside = filled(unit, bytes, largest - 2 - 4); // Without two quotes, which take four bytes.
  const json = (text: string) => response(200, new JsonText(`"${text}"`), options('application/json'));
  expect(json(inside).isBase64Encoded).toBeUndefined();
  expect(json(`${inside}a`).isBase64Encoded).toBe(true);
});

test('A response that is too large even when it is compressed is refused', () => {
  const random = Array.from({ length: 90_000 }, (_, n) => hash('sha512', String(n), 'base64')).join('');
  expect(() => response(200, random, options('text/plain'))).toThrow(Oversized);
});
