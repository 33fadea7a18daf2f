import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, NumberValueImpl as NumberValue, unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { attributesOf, nativeOf } from '../../shared/table/dynamodb-values.ts';

const bytes = Buffer.from([1, 0, 255]).subarray(1);
const natives: Record<string, unknown> = {
  text: 'Grüße 🙂',
  empty: '',
  zero: 0,
  'minus zero': -0,
  fraction: -0.1,
  tiny: 5e-324,
  largest: Number.MAX_SAFE_INTEGER,
  smallest: Number.MIN_SAFE_INTEGER,
  bigint: 12345678901234567890n,
  precise: NumberValue.from('0.12345678901234567890123'),
  yes: true,
  no: false,
  nothing: null,
  undefined: undefined,
  bytes,
  'no bytes': new Uint8Array(),
  texts: new Set(['a', '']),
  numbers: new Set([1, 2.5]),
  'sets of bytes': new Set([bytes]),
  list: [1, 'x', null, undefined, [bytes], { deep: [] }],
  map: { a: 1, b: undefined, c: { d: new Set([1n]) } },
};

test.each(Object.entries(natives))(
  'The values of the table are attributes as the SDK makes them: %s',
  (name, value) => {
    const record = { [name]: value };
    const attributes = attributesOf(record);
    const official = marshall(record, { removeUndefinedValues: true });
    expect(attributes).toEqual(official);
    expect(Object.keys(attributes)).toEqual(Object.keys(official));
    expect(nativeOf(attributes)).toEqual(unmarshall(official));
  },
);

test.each<[string, AttributeValue]>([
  ['more than fits a number', { N: '123456789012345678901234567890' }],
  ['minus zero', { N: '-0' }],
  ['an exponent', { N: '1E+3' }],
  ['a small exponent', { N: '1E-130' }],
  ['digits after the point', { N: '4503599627370496.5' }],
  ['numbers in a set', { NS: ['1', '9007199254740993'] }],
  ['a list', { L: [{ N: '9007199254740993' }, { NULL: true }] }],
  ['what is there beside undefined', { S: undefined, N: '1' } as never],
])('The values of the table come back as the SDK makes them: %s', (_, value) => {
  expect(nativeOf({ value })).toStrictEqual(unmarshall({ value }));
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53), new Set(), new Date(0)])(
  'The values of the table are refused as by the SDK: %s',
  (value) => {
    const official = messageOf(() => marshall({ value }));
    expect(official).not.toBe('');
    expect(messageOf(() => attributesOf({ value }))).toBe(official);
  },
);

/** Of the error; empty without one. */
function messageOf(run: () => unknown): string {
  try {
    run();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
