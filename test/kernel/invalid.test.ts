import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { Failure } from '../../shared/kernel/failure.ts';
import { parsed } from '../../shared/kernel/http/invalid.ts';
import { IsoMoment } from '../../shared/organizations/written-times.ts';

/** The message of the 400 that a value of this schema gets in the field `it`. */
function told(schema: z.ZodMiniType, it: unknown): string {
  try {
    parsed(z.object({ it: schema }), { it }, 'body');
  } catch (error) {
    return error instanceof Failure ? error.message : String(error);
  }
  return 'is taken';
}

const few = z.array(z.string()).check(z.minLength(1), z.maxLength(2));

test.each<[string, z.ZodMiniType, unknown, string]>([
  ['an empty list', few, [], 'it must have at least 1 item'],
  ['a list that is too long', few, ['a', 'b', 'c'], 'it must have at most 2 items'],
  ['one item too many', z.array(z.string()).check(z.maxLength(1)), ['a', 'b'], 'it must have at most 1 item'],
  ['a text where a list belongs', few, 'a long text', 'it must be an array'],
  ['an empty text where a list belongs', few, '', 'it must be an array'],
  ['an empty text', z.string().check(z.minLength(1)), '', 'it must not be empty'],
  ['a short text', z.string().check(z.minLength(2)), 'a', 'it must have at least 2 characters'],
  ['a number beyond what is exact', z.int().check(z.maximum(10)), 1e300, 'it must be at most 10'],
  ['the same without a limit of its own', z.int(), 1e300, 'it must be at most 9007199254740991'],
  ['one of two', z.enum(['true', 'false']), 'yes', 'it must be true or false'],
  ['one of three', z.enum(['a', 'b', 'c']), 'd', 'it must be one of a, b, c'],
  ['the only value', z.literal('a'), 'b', 'it must be a'],
  [
    'a key too many',
    z.strictObject({ x: z.number(), y: z.number() }),
    { x: 1, y: 1, z: 1 },
    'it takes only x and y',
  ],
  ['a moment that is missing', IsoMoment, undefined, 'it is required'],
  ['a moment that is none', IsoMoment, 5, 'it must be an ISO 8601 date or date-time'],
  [
    'a union that is missing',
    z.union([z.string(), z.number()], 'must be short'),
    undefined,
    'it is required',
  ],
  ['a union that fits nowhere', z.union([z.string(), z.number()], 'must be short'), {}, 'it must be short'],
])('%s is refused once, in words that say what to send', (_, schema, value, message) => {
  expect(told(schema, value)).toBe(message);
});

test('Each wrong field is named once, and never more than five of them', () => {
  const schema = z.object(Object.fromEntries([...'abcdef'].map((name) => [name, few])));
  expect(() => parsed(schema, { a: 'text', b: [1] }, 'body')).toThrow(
    'a must be an array; b[0] must be a string; c is required; d is required; e is required',
  );
});
