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
  ['narrow letters for full-width ones', 'alice wide', ['ＡＬＩＣＥ']],
  ['a phone number as it is stored', '+1555010', ['Ada']],
  ['a phone number by digits alone', '5550101815', ['Ada']],
  ['a part of a phone number by digits alone', '79460', ['Grace']],
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

const writers = await newContactsClient(product);
/** People of many scripts. */
const written = {
  strauss: { firstName: 'Botho', lastName: 'Strauß' },
  gross: { firstName: 'GROSS', lastName: '' },
  anna: { firstName: 'An\u00adna', lastName: 'Lena' },
  persian: { firstName: 'می\u200cخواهم', lastName: '' },
  heart: { firstName: '❤\ufe0fShop', lastName: '' },
  family: { firstName: '👩\u200d👧 Fam', lastName: '' },
  jose: { firstName: 'José', lastName: 'Muñoz' },
  turkish: { firstName: 'İbrahim', lastName: 'Yılmaz' },
  polish: { firstName: 'Łukasz', lastName: 'Żółw' },
  nordic: { firstName: 'Søren', lastName: 'Æbelø' },
  icelandic: { firstName: 'Þórður', lastName: 'Guðmundsson' },
  irish: { firstName: 'Shane', lastName: 'O’Brien' },
  french: { firstName: 'Jean\u2011Luc', lastName: 'L\u00b4Hermite' },
  blanks: { firstName: 'Mary\u00a0 Ann', lastName: 'Smith' },
  vietnamese: { firstName: 'Nguyễn', lastName: 'Đức' },
  greek: { firstName: 'Οδυσσέας', lastName: 'Ελύτης' },
  russian: { firstName: 'Фёдор', lastName: 'Толстой' },
  arabic: { firstName: 'مُحَمَّد', lastName: '' },
  hebrew: { firstName: 'שָׁלוֹם', lastName: 'כֹּהֵן' },
  syriac: { firstName: 'ܫܠܵܡܵܐ', lastName: '' },
  hindi: { firstName: 'कि', lastName: '' },
  thai: { firstName: 'กิ', lastName: '' },
  japanese: { firstName: 'ガード', lastName: '' },
  cherokee: { firstName: 'ᏣᎳᎩ', lastName: '' },
  ligature: { firstName: 'Graﬁ', lastName: '' },
  wide: { firstName: 'ｶﾞﾙ', lastName: '' },
};
type Someone = keyof typeof written;
const nameOf = (someone: Someone) => written[someone].firstName;
for (const [index, person] of Object.values(written).entries()) {
  await writers.created(person, hoursAgo(index));
}
// What was stored may have lost nothing of it: the names in the answers are those that were sent.
const stored = new Set(await namesIn(writers, {}));

// Sources: Unicode Standard, D146 (NFKC_Casefold: full case folding, default ignorable characters removed); Unicode Standard
// Annex 24 (accents are marks of the script Inherited); decisions 6, "search".
test.each<[search: string, Someone[]]>([
  ['STRAUSS', ['strauss']],
  ['strauẞ', ['strauss']],
  ['groß', ['gross']],
  ['Gro\u017fs', ['gross']],
  ['anna', ['anna']],
  ['AN\u200bNA\u2060 le', ['anna']],
  ['میخواهم', ['persian']],
  ['❤shop', ['heart']],
  ['❤\ufe0fs', ['heart']],
  ['👩👧', ['family']],
  ['jose', ['jose']],
  ['JOSÉ MUN', ['jose']],
  ['josè', ['jose']],
  ['muñoz, ', []],
  ['munoz jose', ['jose']],
  ['ibrahim', ['turkish']],
  ['ıbrahım YILMAZ', ['turkish']],
  ['lukasz zolw', ['polish']],
  ['soren aebelo', ['nordic']],
  ['thordur gud', ['icelandic']],
  ["o'brien", ['irish']],
  ['OʼBRIEN', ['irish']],
  ['o`brien sh', ['irish']],
  ['obrien', []],
  ['jean-luc', ['french']],
  ['jean–luc l’herm', ['french']],
  ['jean luc', []],
  ['Mary  Ann\tsm', ['blanks']],
  ['smith mary', ['blanks']],
  ['smith mary ann', ['blanks']],
  ['ith  mar', ['blanks']],
  ['smith smith', []],
  ['mary smith', []],
  ['nguyen duc', ['vietnamese']],
  ['ΟΔΥΣΣΕΑΣ', ['greek']],
  ['ελυτης οδυσ', ['greek']],
  ['федор толстои', ['russian']],
  ['محمد', ['arabic']],
  ['שלום', ['hebrew']],
  ['שָׁלוֹם', ['hebrew']],
  ['כהן ש\u05c1ל', ['hebrew']],
  ['ܫܠܡܐ', ['syriac']],
  ['कि', ['hindi']],
  ['की', []],
  ['กิ', ['thai']],
  ['กี', []],
  ['ガ', ['japanese', 'wide']],
  ['カ', []],
  ['ꮳꮃꭹ', ['cherokee']],
  ['GRAFI', ['ligature']],
])('`search` for "%s" finds whom it would with the same letters', async (search, found) => {
  expect(await namesIn(writers, { search })).toEqual(found.map(nameOf));
});

test('`search` for nothing but invisible characters, blanks and marks filters nothing', async () => {
  for (const search of ['\u200b', ' \u00ad ', '\ufeff\u3164', '\ufe0f']) {
    expect(await namesIn(writers, { search })).toHaveLength(stored.size);
  }
});
