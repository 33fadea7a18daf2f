import { expect, test } from 'vitest';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { hoursAgo, namesIn, newContactsClient } from './client.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);
const created = (body: Record<string, unknown>) => contacts.created({ firstName: 'Ada', ...body });
const changed = async (id: string, body: Record<string, unknown>) =>
  expectStatus(await contacts.update(id, body), 200).data;

/** Pairs that differ in case alone, or in how an accent is encoded: `folding.test.ts` has all kinds. */
const same: [string, string][] = [
  ['VIP', 'vip'],
  ['Straße', 'STRASSE'],
  ['Café', 'Cafe\u0301'],
];

/** Pairs that differ in more. */
const different: [string, string][] = [
  ['Café', 'Cafe'],
  ['VIP', 'V I P'],
  ['ırmak', 'irmak'],
  ['m²', 'm2'],
];

test.each(same)('The tags "%s" and "%s" are one, as it is spelled first', async (first, second) => {
  const { _id, tags } = await created({ tags: [first, second, first] });
  expect(tags).toEqual([first]);
  expect((await changed(_id, { addTags: [second, 'other'] })).tags).toEqual([first, 'other']);
  expect((await changed(_id, { tags: ['new', second] })).tags).toEqual(['new', first]);
  expect((await changed(_id, { removeTags: [second] })).tags).toEqual(['new']);
});

test.each(different)('The tags "%s" and "%s" are two', async (first, second) => {
  const { _id, tags } = await created({ tags: [first, second] });
  expect(tags).toEqual([first, second]);
  expect((await changed(_id, { removeTags: [first] })).tags).toEqual([second]);
});

test('A tag that is there in another case is not added again: nothing changes, and nobody hears of a new tag', async () => {
  const { _id, updatedAt } = await created({ tags: ['Straße'] });
  const { body } = await contacts.update(
    _id,
    { addTags: ['STRASSE'], removeTags: ['guest'] },
    new Date(Date.now() + 5_000),
  );
  expect(body).toMatchObject({ message: 'No changes', data: { updatedAt, tags: ['Straße'] } });
  await changed(_id, { removeTags: ['STRASSE'], addTags: ['STRASSE', 'new'] });
  const events = await readEvents(product, contacts.admin.organizationId);
  // Its creation told of the first tag.
  const [change, ...others] = events.filter(
    ({ event, data }) => event === 'contact_updated' && data.contactId === _id,
  );
  expect(change).toBeDefined();
  expect([change, ...others].flatMap((event) => event?.change?.addedTags ?? [])).toEqual(['new']);
});

test.each(same)('The source "%s" stays as it is spelled when it is set to "%s"', async (first, second) => {
  const { _id, source } = await created({ source: first });
  expect((await contacts.update(_id, { source: second })).body).toMatchObject({
    message: 'No changes',
    data: { source },
  });
  expect((await changed(_id, { source: 'Fair' })).source).toBe('Fair');
  expect((await changed(_id, { source: null })).source).toBe(null);
});

test.each(same)('`source` finds the contact from "%s" by "%s"', async (first, second) => {
  const contacts = await newContactsClient(product);
  await contacts.created({ firstName: 'one', source: first }, hoursAgo(1));
  await contacts.created({ firstName: 'other', source: second }, hoursAgo(2));
  await contacts.created({ firstName: 'none' }, hoursAgo(3));
  for (const source of [first, second, ` ${second} `]) {
    expect(await namesIn(contacts, { source })).toEqual(['one', 'other']);
  }
});

test.each(different)('`source` does not find the contact from "%s" by "%s"', async (first, second) => {
  const contacts = await newContactsClient(product);
  await contacts.created({ firstName: 'one', source: first });
  expect(await namesIn(contacts, { source: second })).toEqual([]);
});

// Source: decisions 1, "Text"; DerivedCoreProperties.txt, Default_Ignorable_Code_Point.
test.each([
  ['a zero width space', '\u200b'],
  ['joiners', '\u200c\u200d\u2060'],
  ['a soft hyphen', '\u00ad'],
  ['direction marks', '\u200e\u200f\u202a\u202c\u2066\u2069'],
  ['a Hangul filler', '\u3164'],
  ['a half width filler', '\uffa0'],
  ['a byte order mark', '\ufeff'],
  ['a variation selector', '\ufe0f'],
  ['a tag of a flag', '\u{e0067}'],
  ['control characters', '\u0001\u001f\u0085'],
  ['line breaks', '\r\n\u2028\u2029'],
  ['blanks of many widths', '\u00a0\u2003\u3000\t'],
  ['all of them', ' \u200b\u0007\n\u00ad\ufe0f '],
])('A name of nothing but %s is empty', async (_, name) => {
  for (const body of [{ firstName: name }, { firstName: name, lastName: name }]) {
    expect((await contacts.create(body)).status).toBe(400);
  }
  expect((await created({ lastName: name, source: name })).lastName).toBe('');
  for (const refused of [{ tags: [name] }, { addTags: [name] }]) {
    const { status, body } = await contacts.create({ firstName: 'Ada', ...refused, tags: [name] });
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: 'tags[0] must not be empty',
    });
  }
});

test.each([
  ['a line break', 'Anna\r\nLena', 'Anna Lena'],
  ['a tab', 'Anna\tLena', 'Anna Lena'],
  ['control characters', 'Anna\u0000\u001bLena\u007f', 'Anna Lena'],
  ['a separator of paragraphs', 'Anna\u2029Lena', 'Anna Lena'],
  ['line breaks around it', '\n Anna \n', 'Anna'],
])('A name with %s is one line', async (_, firstName, stored) => {
  const record = await created({ firstName, source: firstName, tags: [firstName] });
  expect(record).toMatchObject({ firstName: stored, source: stored, tags: [stored] });
});

test.each([
  ['an emoji of several', '👩\u200d👩\u200d👧'],
  ['a Persian non-joiner', 'می\u200cخواهم'],
  ['a variation selector', '❤\ufe0f'],
  ['a direction mark', 'Ada \u200f(עדה)'],
])('A name keeps its invisible characters: %s', async (_, firstName) => {
  expect((await created({ firstName, tags: [firstName] })).firstName).toBe(firstName);
});

test('A note keeps its lines', async () => {
  const { _id } = await created({});
  const { token } = contacts.admin;
  const note = 'Call back.\n\tAsk for Zoë.';
  const response = await product.call('create-reminder', {
    token,
    body: { contactId: _id, note, remindAt: '2099-01-01T00:00:00Z' },
  });
  expect(expectStatus(response, 201).data.note).toBe(note);
});
