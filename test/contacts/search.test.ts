import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { hoursAgo, namesIn, newContactsClient } from './client.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);
const people = [
  { firstName: 'Ada', lastName: 'Lovelace', phoneNumbers: [{ value: '+15550101815' }] },
  { firstName: 'Grace', lastName: 'Hopper', phoneNumbers: [{ value: '+44 20 7946 0018' }] },
  { firstName: 'Zoë', lastName: 'Straße' },
  { firstName: 'ＡＬＩＣＥ', lastName: 'Ｗｉｄｅ' },
  { firstName: 'ΟΔΥΣΣΕΑΣ', lastName: 'Ελύτης' },
  { firstName: 'Юрий', lastName: 'Гагарин', email: 'hidden@example.com', source: 'Radio' },
  { firstName: 'a.b*c', lastName: '50% [off] \\d' },
  { firstName: 'José', lastName: 'Ñandú', phoneNumbers: [{ value: '+34600100200' }] },
];
for (const [index, person] of people.entries()) {
  await contacts.created(person, hoursAgo(index));
}

test.each([
  ['the first name, whatever the case', 'aDA', ['Ada']],
  ['the last name', 'hopper', ['Grace']],
  ['a part in the middle', 'velac', ['Ada']],
  ['first and last name with a space between', 'ada love', ['Ada']],
  ['a last name before the first', 'lovelace ada', ['Ada']],
  ['spaces around it', '  ada  ', ['Ada']],
  ['full-width letters for narrow ones', 'ａｄａ', ['Ada']],
  ['narrow letters for full-width ones', 'alice wide', ['ＡＬＩＣＥ']],
  ['letters beyond ASCII, whatever the case', 'ЮРИЙ', ['Юрий']],
  ['an accent written as a letter and a mark', 'jose\u0301', ['José']],
  ['the beginning of a Greek name that ends in another sigma', 'ΟΔΥΣ', ['ΟΔΥΣΣΕΑΣ']],
  ['a Greek name in lower case', 'οδυσσέας'.replace('έ', 'ε'), ['ΟΔΥΣΣΕΑΣ']],
  ['a phone number as it is stored', '+1555010', ['Ada']],
  ['a phone number by digits alone', '5550101815', ['Ada']],
  ['a part of a phone number by digits alone', '79460', ['Grace']],
  ['a phone number with separators', '(555) 010-18.15', ['Ada']],
  ['a phone number with dashes of a web page', '555\u2011010\u20131815', ['Ada']],
  ['full-width digits', '５５５０１０１８１５', ['Ada']],
  ['a dot, a star and a bracket as themselves', 'a.b*c', ['a.b*c']],
  ['a per cent sign and brackets', '50% [off]', ['a.b*c']],
  ['a backslash', '\\d', ['a.b*c']],
])('`search` finds by %s', async (_, search, found) => {
  expect(await namesIn(contacts, { search })).toEqual(found);
});

test.each([
  ['the end of a first name before the last', 'da ada love'],
  ['first and last name without a space', 'adalovelace'],
  ['a part of two contacts together', 'ada hopper'],
  ['an email address', 'hidden@example.com'],
  ['a source', 'radio'],
  ['a regular expression', 'a.a'],
  ['two regular alternatives', 'ada|grace'],
  ['a wildcard', 'ad%'],
  ['digits of two phone numbers in a row', '018153460'],
  ['digits among letters', 'x5550101815'],
  ['separators of phone numbers alone', '( ) -'],
  ['a stage', 'New'],
])('`search` does not find by %s', async (_, search) => {
  expect(await namesIn(contacts, { search })).toEqual([]);
});

test('`search` filters nothing when it is empty or blank', async () => {
  for (const search of ['', '   ']) {
    expect(await namesIn(contacts, { search })).toHaveLength(8);
  }
});

test('`search` takes 200 characters, counted as people count them, and refuses one more', async () => {
  expect(await namesIn(contacts, { search: '😀'.repeat(200) })).toEqual([]);
  const response = await contacts.list({ search: '😀'.repeat(201) });
  expect(response).toMatchObject({ status: 400, body: { error: 'Invalid request' } });
  expect(response.body.message).toMatch(/^search must have at most 200 characters/);
});

test('`search` counts every match, whatever the page', async () => {
  for (const page of [1, 2, 3, 99]) {
    const { New } = await contacts.board({ search: 'a', size: 1, page: { New: page } });
    expect(New?.total).toBe(await namesIn(contacts, { search: 'a' }).then(({ length }) => length));
  }
});

test('A page far beyond the end is empty and has the total', async () => {
  for (const page of [1_000_000, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
    for (const search of [undefined, 'lovelace']) {
      const { New } = await contacts.board({ search, page: { New: page }, size: 100 });
      expect(New).toEqual({ contacts: [], total: search === undefined ? people.length : 1 });
    }
  }
});
