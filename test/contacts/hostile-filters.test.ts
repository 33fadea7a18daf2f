import { faker } from '@faker-js/faker';
import { expect, test } from 'vitest';
import { loadCustomFieldTests } from '../../shared/board/custom-filters.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { processorTime } from '../harness/processor-time.ts';
import { hoursAgo, namesIn, newContactsClient } from './client.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);
faker.seed(1815);
const letters = (length: number) => faker.string.fromCharacters('ab', length);
for (let n = 0; n < 10; n += 1) {
  const customFields = { long: letters(10_000), end: `${letters(n === 0 ? 4_089 : 4_090)} needle` };
  await contacts.created({ firstName: `n${n}`, customFields }, hoursAgo(n));
}
await contacts.created(
  { firstName: 'many', customFields: { list: Array.from({ length: 1_200 }, (_, n) => `${letters(5)}${n}`) } },
  hoursAgo(10),
);

/** Different expressions, each of about as many instructions as one may have. */
const many = (of: (n: number) => string, count = 9) => Array.from({ length: count }, (_, n) => of(n));

const bombs: [string, Record<string, unknown>][] = [
  ['states that double with each letter', { long: many((n) => `a[ab]{900}c${n}`) }],
  ['states that double, in a small program', { long: many((n) => `a[ab]{12}c${n}`, 100) }],
  ['repeated repetitions', { long: many((n) => `((a{0,9}b{0,9}){0,9}c){5}${n}`) }],
  ['words of any letters', { long: many((n) => `(\\pL+\\d?){90}c${n}`) }],
  ['many classes of characters', { long: many((n) => `([\\pL\\pN]|[^\\pL]){80}\\W${n}`) }],
  ['ranges of all letters', { long: many((n) => `[${'B-\u{1e942}'.repeat(80)}]${n}`) }],
  ['classes of letters', { long: many((n) => `[${'\\pL'.repeat(80)}]${n}`, 90) }],
  ['a hundred expressions on a list', { list: many((n) => `(a|b|ab)*c${n}`, 100) }],
  ['all fields at once', Object.fromEntries(many((n) => `f${n}`, 50).map((key) => [key, 'a[ab]{190}c']))],
];

test.each(bombs)('Filters with %s work, or are refused with the path of the field', async (_, filters) => {
  const time = await processorTime(async () => {
    const { status, body } = await contacts.list({ customFilters: filters });
    expect([200, 400]).toContain(status);
    if (status === 400) {
      expect(body.error).toBe('Invalid request');
      expect(body.message).toMatch(/^customFilters\.(long|list|f\d+) (takes too long|is too large)/);
    }
  });
  // Takes up to 1.2 s; without a limit, minutes.
  expect(time).toBeLessThan(10_000);
});

test('A hundred expressions on lists of thousands of empty texts are refused before they take long', async () => {
  const [filter] = await loadCustomFieldTests({ list: many((n) => `a${n}`, 100) });
  expect(() => {
    for (let n = 0; n < 1_000; n += 1) {
      filter?.matches(Array(5_000).fill(''));
    }
  }).toThrow(/^customFilters\.list takes too long/);
});

test('One expression may have 1,000 instructions', async () => {
  expect((await contacts.list({ customFilters: { end: 'a{990}' } })).status).toBe(200);
  for (const end of ['a{1000}', '(ab){500}', ['fine', 'a{1000}']]) {
    const { status, body } = await contacts.list({ customFilters: { end } });
    expect(status).toBe(400);
    expect(body.message).toMatch(/^customFilters\.end is too large/);
  }
});

test('Expressions look at the first 4,096 characters of a field', async () => {
  expect(await namesIn(contacts, { customFilters: { end: 'needle' } })).toEqual(['n0']);
  expect(await namesIn(contacts, { customFilters: { end: 'needl' } })).toHaveLength(10);
});

test.each([
  'acme',
  '.(acme|globex)\\.com$',
  '^[a-z]+\\.[a-z]+-',
  '(?:north|south)\\w*\\s?\\d{2,4}',
  'ä|\\pL{5} \\d',
  '^[一-龥]{2,4}|[а-яё]+ [α-ω]|[^\\x00-\\x7f]|first[.-]last',
  '[😀-🙏🌀-🗿🚀-🛿🤀-🧿🩰-🫿🏀-🏿🐀-🐿🔀-🔿🕀-🕿]|first',
  '[\\x{400}-\\x{4ff}\\x{41}-\\x{5a}\\x{3b1}-\\x{3c9}\\x{61}-\\x{7a}\\x{530}-\\x{58f}\\x{10a0}-\\x{10ff}\\x{1e00}-\\x{1eff}\\x{30}-\\x{39}]+',
])('The ordinary expression %s is not refused, not even over 100,000 different values', async (mail) => {
  const [filter] = await loadCustomFieldTests({ mail });
  let found = 0;
  for (let n = 0; n < 100_000; n += 1) {
    found += filter?.matches(`first.last-${n}@north ${n}.acme.com`) ? 1 : 0;
  }
  expect(found).toBeGreaterThan(0);
});
