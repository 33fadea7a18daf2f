import { expect, test } from 'vitest';
import { isLonger, packed, unpacked } from '../../infra/local/workers/payload.ts';

const long = 'x'.repeat(2_000);

class Answer {
  statusCode = 200;
  body = long;
}

class Saying {
  body = long;
  toJSON() {
    return { said: this.body.length };
  }
}

const unusual: [what: string, value: unknown][] = [
  ['a response', { statusCode: 200, headers: { 'content-type': 'text/plain' }, body: long }],
  ['a body in the middle', { a: 1, body: long, z: 2 }],
  ['an undefined field', { body: long, nothing: undefined, list: [undefined, 1] }],
  ['a function and a symbol', { body: long, run: () => 1, [Symbol('s')]: 1, s: Symbol('s') }],
  ['dates', { body: long, at: new Date(0), never: new Date(Number.NaN) }],
  ['numbers that JSON has not', { body: long, a: Number.NaN, b: -0, c: Number.POSITIVE_INFINITY }],
  ['lone surrogates', { body: `\ud800 ${long} \udfff`, '\udc00': '\ud83d' }],
  ['characters that JSON escapes', { body: `"\\\n\u0000\u001f\u007f\u2028\ufeff${long}` }],
  ['characters outside Latin-1', { body: `結希 😀 ${long}` }],
  [
    'maps, sets, buffers and typed arrays',
    { body: long, m: new Map([[1, 2]]), b: Buffer.from('a'), t: new Uint8Array(2) },
  ],
  ['boxed values', { body: long, s: new String('a'), n: new Number(1), b: new Boolean(false) }],
  ['a boxed body', { body: new String(long) }],
  ['an instance of a class', new Answer()],
  ['an instance that says what its JSON is', new Saying()],
  ['a field that says what its JSON is', { body: long, other: new Saying() }],
  ['an object that says what its JSON is', { body: long, toJSON: () => ({ other: 1 }) }],
  ['an array with a body', Object.assign([1, 2], { body: long })],
  ['a body that is inherited', Object.create({ body: long })],
  ['a body that is hidden', Object.defineProperty({}, 'body', { value: long })],
  ['a body that is computed', Object.defineProperty({}, 'body', { get: () => long, enumerable: true })],
  ['an error', Object.assign(new Error('a'), { body: long })],
  ['a field of the name __proto__', JSON.parse(`{"__proto__":{"a":1},"body":"${long}"}`)],
  ['a shared object', ((one) => ({ body: long, one, two: one }))({ a: 1 })],
  ['nothing', undefined],
  ['null', null],
  ['a string', long],
  ['a function', () => 1],
];

test.each(unusual)('%s arrives as JSON would have given it', (_what, value) => {
  const sent = structuredClone(packed(value));
  expect(unpacked(sent)).toStrictEqual(JSON.parse(JSON.stringify(value) ?? 'null'));
  expect(JSON.stringify(unpacked(sent))).toBe(JSON.stringify(value) ?? 'null');
});

test('Invalid JSON is refused', () => {
  const circle: Record<string, unknown> = { body: long };
  circle.self = circle;
  expect(() => packed(circle)).toThrow(TypeError);
  expect(() => packed({ body: long, big: 1n })).toThrow(TypeError);
});

test.each(
  ['a', '"', '\n', '\u0001', 'é', '結', '😀', '\ud800'].flatMap((unit) =>
    [{ body: unit.repeat(1_000) }, { text: unit.repeat(1_000) }].map((value) => ({ unit, value })),
  ),
)('The length of $unit is that of its JSON, to the byte', ({ value }) => {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  expect(isLonger(packed(value), bytes)).toBe(false);
  expect(isLonger(packed(value), bytes - 1)).toBe(true);
});
