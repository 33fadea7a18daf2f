import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { hoursAgo, namesIn, newContactsClient } from './client.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);
const people = {
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
type Someone = keyof typeof people;
const nameOf = (someone: Someone) => people[someone].firstName;
for (const [index, person] of Object.values(people).entries()) {
  await contacts.created(person, hoursAgo(index));
}
// What was stored may have lost nothing of it: the names in the answers are those that were sent.
const stored = new Set(await namesIn(contacts, {}));

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
  expect(await namesIn(contacts, { search })).toEqual(found.map(nameOf));
});

test('`search` for nothing but invisible characters, blanks and marks filters nothing', async () => {
  for (const search of ['\u200b', ' \u00ad ', '\ufeff\u3164', '\ufe0f']) {
    expect(await namesIn(contacts, { search })).toHaveLength(stored.size);
  }
});
