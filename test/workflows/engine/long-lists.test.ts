import { describe, expect, test } from 'vitest';
import type { Operator } from '../../../functions/workflows/model/definition/filter.ts';
import { ruleHolds } from '../../../functions/workflows/model/execution/rules.ts';
import { contextWith, stateWith } from './step-context.ts';

const now = new Date('2026-11-22T12:00:00.000Z');
const length = 400;

/** A list that counts how often one of its members is read. */
function counted(list: readonly unknown[]) {
  let reads = 0;
  const proxy = new Proxy(list as unknown[], {
    get(target, name, receiver) {
      reads += typeof name === 'string' && /^\d+$/.test(name) ? 1 : 0;
      return Reflect.get(target, name, receiver);
    },
  });
  return { list: proxy, reads: () => reads };
}

/** Asks a custom field with this list. */
function asking(found: readonly unknown[]) {
  const context = contextWith({ state: stateWith({ customFields: { list: found } }) });
  return (operator: Operator, value: unknown) =>
    ruleHolds({ field: 'contact.customFields.list', operator, value }, { context, now });
}

const words = Array.from({ length }, (_, n) => `Word ${n}`);
const others = words.toReversed().map((word) => word.toUpperCase());

describe('Rules over long lists', () => {
  test.each<[Operator, unknown, boolean]>([
    ['equals', others, true],
    ['equals', [...others, 'x'], false],
    ['not_equals', others, false],
    ['contains', others, true],
    ['contains', [...others, 'x'], false],
    ['in', [...others.map((_, n) => `none ${n}`), 'word 7'], true],
    ['starts_with', [...others.map((_, n) => `none ${n}`), 'word 399'], true],
  ])('Two long lists are compared by looking at each member a few times: %s', (operator, value, expected) => {
    const found = counted(words);
    const wanted = counted(value as unknown[]);
    expect(asking(found.list)(operator, wanted.list)).toBe(expected);
    expect(found.reads()).toBeLessThanOrEqual(4 * length);
    expect(wanted.reads()).toBeLessThanOrEqual(4 * length);
  });

  test.each<[Operator, unknown, boolean]>([
    ['gt', 398, true],
    ['gt', 399, false],
    ['gte', 399, true],
    ['lt', 0, false],
    ['lte', 0, true],
  ])(
    'A long list of numbers is compared by looking at each a few times: %s %j',
    (operator, value, expected) => {
      const found = counted(words.map((_, n) => n));
      const asks = asking(found.list);
      for (let n = 0; n < 50; n += 1) {
        expect(asks(operator, value)).toBe(expected);
      }
      expect(found.reads()).toBeLessThanOrEqual(4 * length);
    },
  );

  test('A long list is read a few times for all rules of an event together', () => {
    const found = counted(words);
    const asks = asking(found.list);
    for (let n = 0; n < 50; n += 1) {
      expect(asks('equals', `word ${n}`)).toBe(true);
    }
    expect(found.reads()).toBeLessThanOrEqual(4 * length);
  });
});

test.each<[readonly unknown[], Operator, unknown, boolean]>([
  // What looks like a number is one only if the other side is.
  [['01067'], 'equals', '1067', false],
  [['01067'], 'equals', 1067, true],
  [[1067], 'equals', '01067', true],
  [[1067, 'x'], 'equals', ['X', '1067.0'], true],
  [[true], 'equals', 1, false],
  [[true], 'equals', 'True', true],
  // An instant is in its day.
  [['2026-11-20T23:30:00Z', '2026-12-24'], 'equals', ['2026-12-24T10:00Z', '2026-11-20'], true],
  [['2026-11-20T23:30:00Z'], 'contains', '2026-11-21', false],
  // What is neither a text nor a number is the same if all in it is.
  [[{ a: 1, b: [2] }], 'contains', { b: [2], a: 1 }, true],
  [[{ a: 1, b: [2] }], 'contains', { b: [3], a: 1 }, false],
  [[['a']], 'contains', [['a']], true],
  [[null, 'a'], 'equals', ['a', null], true],
  // The beginning of a text that comes after others.
  [['alpha', 'beta', 'alphabet'], 'starts_with', 'ALPHAB', true],
  [['alpha', 'beta'], 'starts_with', ['alphabet', 'c'], false],
  [[4015, 7], 'starts_with', '40', true],
  // Greater or smaller is what one of them is: numbers than a number, dates than a date.
  [['x', '12.5', '2026-12-24'], 'gt', 12, true],
  [['x', '2026-12-24'], 'gt', 12, false],
  [['2026-11-20T23:30:00Z', '2026-12-24', 7], 'lt', '2026-11-21', true],
  [['2026-11-20T23:30:00Z', '2026-12-24', 7], 'gt', '2026-12-24', false],
  [['2026-11-20T23:30:00Z', '2026-12-24', 7], 'gte', '2026-12-24T10:00Z', false],
  // One of several values, of which some may be lists.
  [['a', 'b'], 'in', [['b', 'A'], 'c'], true],
  [['a', 'b'], 'in', [['a'], ['c', 'b']], false],
  [['a', ''], 'in', ['', null, []], false],
  [[], 'in', ['x', ''], true],
  [[1, 1, 1], 'equals', ['1.0'], true],
])('Of the list %j: %s %j is %j', (found, operator, value, expected) => {
  expect(asking(found)(operator, value)).toBe(expected);
});

test('Of dates by chance, one is the same as another in a list if either lies within the other', () => {
  const dayOf = (n: number) => `2026-12-${String((n % 6) + 1).padStart(2, '0')}`;
  const dates = Array.from({ length: 40 }, (_, n) =>
    n % 3 === 0 ? dayOf(n) : `${dayOf(n)}T${String((n * 7) % 24).padStart(2, '0')}:00:00Z`,
  );
  const isWithin = (one: string, other: string) => one.startsWith(other) || other.startsWith(one);
  for (let size = 0; size < 8; size += 1) {
    for (let start = 0; start < dates.length; start += 1) {
      const list = dates.slice(start, start + size);
      for (const date of dates) {
        const expected = list.some((one) => isWithin(one, date));
        expect(asking(list)('equals', date), `${list} ${date}`).toBe(expected);
      }
    }
  }
});
