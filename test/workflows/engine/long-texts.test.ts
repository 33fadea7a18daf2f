import { describe, expect, test, vi } from 'vitest';
import type { Operator, Rule } from '../../../functions/workflows/model/definition/filter.ts';
import type { Occurrence } from '../../../functions/workflows/model/definition/topics.ts';
import { ruleHolds } from '../../../functions/workflows/model/execution/rules.ts';
import { newEventFilter } from '../../../functions/workflows/model/triggers/event-filter.ts';
import { contextWith, stateWith } from './step-context.ts';

const now = new Date('2026-11-22T12:00:00.000Z');

/** Characters: as much as a contact has room for. */
const length = 15_000;
const padded = (text: string) => text + 'x'.repeat(length - text.length);

/** Asks a custom field with this value. */
function asking(text: unknown) {
  const context = contextWith({ state: stateWith({ customFields: { text } }) });
  return (rule: Omit<Rule, 'field'>) =>
    ruleHolds({ field: 'contact.customFields.text', ...rule }, { context, now });
}

/** How many characters are normalized meanwhile. */
async function normalizedBy(work: () => unknown): Promise<number> {
  const normalize = vi.spyOn(String.prototype, 'normalize');
  try {
    await work();
    return normalize.mock.contexts.reduce<number>((sum, text) => sum + String(text).length, 0);
  } finally {
    normalize.mockRestore();
  }
}

describe('Rules over a long text', () => {
  const many = Array.from({ length: 50 }, (_, n) => `none ${n}`);

  test.each<[string, Omit<Rule, 'field'>[], boolean]>([
    ['all rules', many.map((value) => ({ operator: 'contains', value })), false],
    ['all rules', many.map((value) => ({ operator: 'equals', value })), false],
    ['all rules', many.map((value) => ({ operator: 'starts_with', value })), false],
    ['all values of a list', [{ operator: 'in', value: many }], false],
    ['all values of a list', [{ operator: 'in', value: [...many, padded('Some')] }], true],
  ])('A long text is made ready to be compared once for %s', async (_, rules, expected) => {
    const asks = asking(padded('Some'));
    const held: boolean[] = [];
    const count = await normalizedBy(() => held.push(...rules.map(asks)));
    expect(new Set(held)).toEqual(new Set([expected]));
    expect(count).toBeLessThan(4 * length);
  });

  test('A long text is made ready to be compared once for all filters that ask for the event alone', async () => {
    const occurrence: Occurrence = {
      ...{ topic: 'message.received', eventId: 'e', contactId: 'c', at: now.toISOString(), people: [] },
      fields: { text: padded('Some') },
    };
    const eventFilter = newEventFilter({} as never, occurrence, now);
    const count = await normalizedBy(() =>
      Promise.all(
        many.map((value) =>
          eventFilter.passes({
            filter: [{ field: 'event.text', operator: 'contains', value }],
            match: 'all',
          }),
        ),
      ),
    );
    expect(count).toBeLessThan(4 * length);
  });
});

describe('A rule with many values', () => {
  const value = Array.from({ length: 100 }, (_, n) => `none ${n}`);
  const events = Array.from({ length: 10 }, (_, n) => `Some ${n}`);

  test.each<Operator>(['in', 'contains', 'starts_with', 'equals'])(
    'The values of a rule are made ready to be compared once for all events: %s',
    async (operator) => {
      const rule: Rule = { field: 'event.text', operator, value };
      const count = await normalizedBy(() => {
        for (const text of events) {
          expect(ruleHolds(rule, { context: contextWith({ event: { text } }), now })).toBe(false);
        }
      });
      expect(count).toBeLessThan(2 * [...value, ...events].join('').length);
    },
  );
});

test('A text is searched for each part once, however many rules ask for it', () => {
  const asks = asking(`${'a'.repeat(4_000)}b`);
  const includes = vi.spyOn(String.prototype, 'includes');
  try {
    const searches = () => includes.mock.contexts.filter((text) => String(text).length > 4_000).length;
    for (let n = 0; n < 50; n += 1) {
      expect(asks({ operator: 'contains', value: ['ab', 'AB', 'ab', `${n}`] })).toBe(false);
    }
    expect(searches()).toBeLessThanOrEqual(51);
  } finally {
    includes.mockRestore();
  }
});

/** What takes the square of the length, by a way of comparing it that goes back: with so many characters, hours. */
const many = 1_000_000;
const hostile: Record<string, [found: string, value: string | string[]]> = {
  'marks in the wrong order': [`a${'\u0315\u0300'.repeat(many / 2)}`, 'b'],
  'a date that ends otherwise': [`2026-01-01T10:00${' '.repeat(many)}x`, '2027-01-01'],
  'a number that ends otherwise': [`1${' '.repeat(many)}x`, '2'],
  'a text like the one that is looked for': ['a'.repeat(many), `${'a'.repeat(1_900)}b${'a'.repeat(1_900)}`],
};

test.each(Object.keys(hostile))('%s take no longer than others', (kind) => {
  const [found, value] = hostile[kind] ?? [];
  const start = performance.now();
  for (const operator of ['equals', 'contains', 'starts_with', 'gt', 'in'] as const) {
    expect(asking(found)({ operator, value })).toBe(false);
  }
  expect(performance.now() - start).toBeLessThan(60_000);
});

test.each([
  ['the beginning', 0],
  ['the middle', 500],
  ['the end', 4_096 - 3_001],
])('A long text is found at %s of the first 4,096 characters', (_, position) => {
  const part = `${'a'.repeat(1_500)}b${'a'.repeat(1_500)}`;
  const asks = asking(`${'a'.repeat(position)}${part}${'a'.repeat(length - position - part.length)}`);
  expect(asks({ operator: 'contains', value: part })).toBe(true);
  expect(asks({ operator: 'contains', value: `${part}c` })).toBe(false);
  const later = asking(`${'a'.repeat(4_096)}b`);
  expect(later({ operator: 'contains', value: 'ab' })).toBe(false);
});

test.each([
  [' 2026-01-01 ', true],
  [' 2026-01-01T10:00  Z ', true],
  ['2026-01-01 10:00:00.123456789 +01:00', true],
  ['2026-01-01T10:00 x', false],
  ['2026-01-01 Z', false],
])('%j is a day in January: %j', (value, expected) => {
  expect(asking(value)({ operator: 'gte', value: '2026-01-01' })).toBe(expected);
});
