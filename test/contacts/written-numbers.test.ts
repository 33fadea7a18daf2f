import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import { readLeadPhoneNumber, readPhoneNumber } from '../../shared/contacts/read-phone-number.ts';
import { sameNumberForm } from '../../shared/kernel/names/same-numbers.ts';

/** ITU-T E.123, 7.2: no trunk prefix stands behind a country code. The prefixes are those of the national plans that the ITU lists. */
describe('A trunk prefix behind the country code', () => {
  test.each([
    ['Germany', '+49 (0)89 2180-0', '+498921800'],
    ['Germany, twice', '+49 (0) 089 2180-0', '+498921800'],
    ['Germany, without brackets', '0049 0 89 21800', '+498921800'],
    ['France', '+33 (0)1 44 55 66 77', '+33144556677'],
    ['France, without blanks', '+330144556677', '+33144556677'],
    ['Switzerland', '0041 (0)44 268 20 20', '+41442682020'],
    ['Austria, in square brackets', '+43 [0] 1 514440', '+431514440'],
    ['Sweden', '+46 (0)8 505 080 00', '+46850508000'],
    ['Netherlands', '+31 (0)20 555 1111', '+31205551111'],
    ['Belgium', '+32 (0)2 555 12 12', '+3225551212'],
    ['Australia', '+61 (0)2 9374 4000', '+61293744000'],
    ['New Zealand', '+64 (0) 9 375 1111', '+6493751111'],
    ['South Africa', '+27 (0)21 424 1111', '+27214241111'],
    ['Japan', '+81 (0)3-5321-1111', '+81353211111'],
    ['Turkey', '+90 (0212) 455 40 00', '+902124554000'],
    ['Ukraine', '+38 (044) 279-11-11', '+380442791111'],
    ['Hungary, whose prefix is 06', '+36 (06) 1 266 1111', '+3612661111'],
    ['Russia, whose prefix is 8', '+7 (8) 812 332-11-11', '+78123321111'],
    ['Belarus, whose prefix is 8 and then 0', '+375 (8 017) 222-11-11', '+375172221111'],
    ['Lithuania, whose old prefix was 8', '+370 (8-5) 266 1111', '+37052661111'],
    ['United States, whose prefix is 1', '+1 (1) 212 555 0123', '+12125550123'],
    ['Argentina, whose mobile prefix is 15', '+54 (011) 15 4321-1111', '+5491143211111'],
    ['Spain, which has none', '+34 (0)91 411 11 11', '+34914111111'],
    ['Mexico, which has none', '+52 (0) 33 3818 1111', '+523338181111'],
    ['Mexico, whose prefix was 01', '+52 (01) 55 5128 1111', '+525551281111'],
    ['Mexico, whose mobile prefix was 044', '+52 044 55 5128 1112', '+525551281112'],
    ['Czechia, which has none', '+420 (0)224 111 111', '+420224111111'],
    ['Uzbekistan, which no longer has one', '+998 (8) 71 200 11 11', '+998712001111'],
  ])('of %s is no part of the number: %j', (_, written, value) => {
    expect(readPhoneNumber(written)).toEqual({ value });
    expect(readPhoneNumber(value)).toEqual({ value });
  });

  // Since 1998 the zero of Italy, San Marino and the Vatican is dialed from abroad, too; in these African plans it is a digit of the number.
  test.each([
    ['Rome', '+39 06 4745 1', '+390647451'],
    ['Milan, in brackets', '+39 (0)2 8646 1111', '+390286461111'],
    ['an Italian mobile number, which has none', '+39 348 111 2222', '+393481112222'],
    ['the Vatican', '+379 (06) 698 1111', '+379066981111'],
    ['the Vatican, with the country code of Italy', '+39 06 698 81111', '+390669881111'],
    ['San Marino', '+378 (0549) 88 22 33', '+3780549882233'],
    ['Ivory Coast', '+225 01 40 11 22 33', '+2250140112233'],
    ['the Republic of the Congo', '+242 06 411 22 33', '+242064112233'],
  ])('is a part of a number of %s', (_, written, value) => {
    expect(readPhoneNumber(written)).toEqual({ value });
  });

  test('is not looked for in numbers that no plan knows: they stay as they are', () => {
    for (const value of [
      '+15551234567',
      '+13035550100',
      '+99901234567',
      '+210012345678',
      '+12',
      '+4412',
      '+88012345',
    ]) {
      expect(readPhoneNumber(value)).toEqual({ value });
    }
  });

  test('changes no number of any country that is written without one', () => {
    for (const [country, national] of Object.entries(examples)) {
      const value = parsePhoneNumberFromString(national, country as keyof typeof examples)?.number ?? country;
      expect(readPhoneNumber(value)).toEqual({ value });
      expect(readLeadPhoneNumber(value)).toEqual({ value });
    }
    expect(Object.keys(examples).length).toBeGreaterThan(200);
  });
});

/** E.123 wants blanks; people, pages and keyboards write all of these. Digits: Unicode Standard, general category Nd. */
test.each([
  ['full-width digits and plus', '＋８１３５３２１１１１１', '+81353211111'],
  ['Arabic-Indic digits', '+٢٠٢٢٧٩٥١١١١', '+20227951111'],
  ['Arabic-Indic digits behind two zeros', '٠٠٢٠٢٢٧٩٥١١١١', '+20227951111'],
  ['Persian digits', '+۹۸ ۲۱ ۶۴۴۸ ۱۱۱۱', '+982164481111'],
  ['Devanagari digits', '+९१ ११ २३०१ ११११', '+911123011111'],
  ['Bengali digits', '+৮৮০ ২ ৯৫৫ ১১১১', '+88029551111'],
  ['Thai digits', '+๖๖ ๒ ๒๘๑ ๑๑๑๑', '+6622811111'],
  ['mathematical digits of a font', '+𝟒𝟗 𝟖𝟗 𝟐𝟏𝟖𝟎𝟎', '+498921800'],
  ['slashes', '+43/1/514440', '+431514440'],
  ['typographic apostrophes', '+41 44 268’20’20', '+41442682020'],
  ['acute accents as apostrophes', '+41 44 268´20´20', '+41442682020'],
  ['underscores', '+41_44_268_20_20', '+41442682020'],
  ['middle dots', '+33·1·44·55·66·77', '+33144556677'],
  ['every kind of dash', '+1\u2010212\u2011555\u2212\u20140\u2013123', '+12125550123'],
  ['curly, square and full-width brackets', '{+49} [89] （21800）', '+498921800'],
  ['tabs, line ends and ideographic blanks', '+49\t89\u300021\n800', '+498921800'],
  ['invisible marks and soft hyphens', '\u200e+49\u00ad89\u200b21\u2060800\u200f', '+498921800'],
  ['quotes around it, as in a spreadsheet', '"+49 89 21800"', '+498921800'],
  ['an apostrophe in front, as in a spreadsheet', "'+49 89 21800", '+498921800'],
  ['a `tel:` address (RFC 3966)', 'tel:+49-89-21800', '+498921800'],
  ['a `TEL:` address (RFC 3986: schemes are without case)', 'TEL: +49.89.21800', '+498921800'],
  ['a `tel:` address with parameters', 'tel:+49-89-21800;phone-context=example.com;isub=4', '+498921800'],
  ['the `p:` of Facebook', 'p:+498921800', '+498921800'],
  ['a `sip:` address (RFC 3261)', 'sip:+498921800@trunk.example.com;user=phone', '+498921800'],
  ['a `sips:` address with two zeros', 'SIPS:00498921800@192.0.2.1:5061', '+498921800'],
])('A number with %s is read', (_, written, value) => {
  expect(readPhoneNumber(written)).toEqual({ value });
});

/** RFC 3966, 5.3, and the words that libphonenumber knows. */
test.each([
  ['+1 212 555 0123 ext. 45', '45'],
  ['+1 212 555 0123 ext 45', '45'],
  ['+1 212 555 0123, Ext: 45', '45'],
  ['+1 212 555 0123 extension 045', '045'],
  ['+1 212 555 0123extn45', '45'],
  ['+1 212 555 0123 extensión 45', '45'],
  ['+1 212 555 0123x45', '45'],
  ['+1 212 555 0123 X 45', '45'],
  ['+1 212 555 0123 #45', '45'],
  ['+1 212 555 0123 ＃４５', '45'],
  ['+1 212 555 0123 доб. 45', '45'],
  ['+1 212 555 0123 anexo 45', '45'],
  ['+1 212 555 0123,,45#', '45'],
  ['tel:+1-212-555-0123;ext=45', '45'],
  ['tel:+1-212-555-0123;isub=1;EXT=4-5', '45'],
  ['+1 212 555 0123;ext=٤٥', '45'],
  [`+1 212 555 0123 x${'9'.repeat(20)}`, '9'.repeat(20)],
])('The extension of %j is kept beside the number', (written, extension) => {
  expect(readPhoneNumber(written)).toEqual({ value: '+12125550123', extension });
});

test.each([
  ['nothing', ''],
  ['blanks', ' \u3000'],
  ['a plus alone', '+'],
  ['a country code that begins with zero', '+0 212 555 0123'],
  ['three zeros', '0001 212 555 0123'],
  ['no country code', '(212) 555-0123'],
  ['a trunk zero and no country code', '089 21800'],
  ['digits that may be a country code, without a plus', '498921800'],
  ['16 digits', '+4989218001234567'],
  ['a plus among the digits', '+49+8921800'],
  ['two pluses', '++498921800'],
  ['two numbers', '+49 89 21800, +49 89 21801'],
  ['letters', '+1 800 FLOWERS'],
  ['letters for digits that are hidden', '+1 212 555 01xx'],
  ['a word alone', 'unknown'],
  ['an extension alone', 'x45'],
  ['an extension of 21 digits', `+1 212 555 0123 x${'9'.repeat(21)}`],
  ['a remark', '+1 212 555 0123 (home)'],
  ['a superscript digit', '+49 89 21800²'],
  ['a digit in a circle', '+49 89 2180①'],
  ['a control character', '+49\u000089 21800'],
  ['an address of a name', 'sip:ada@example.com'],
  ['an address of an extension', 'sip:2001@pbx.example.com'],
  ['an address of another service', 'whatsapp:+498921800'],
  ['a local number in a context', 'tel:7042;phone-context=+1-212'],
  ['251 characters', `+49${' '.repeat(241)}8921800`],
  ['the digits of `anonymous`', '+266 696 687'],
  ['the digits of `unavailable`', '+86282452253'],
  ['the digits that Twilio sends for no number', '+656667'],
])('%s is no number', (_, written) => {
  expect(readPhoneNumber(written)).toBeUndefined();
});

/** Decisions 6, "Phone numbers", and 10, "Outreach lead, never lost for a detail". */
describe('The number of a lead', () => {
  test.each([
    ['a remark in brackets', '+49 89 21800 (office)', '+498921800'],
    ['a remark of two words in square brackets', '+49 89 21800 [nur abends]', '+498921800'],
    ['a remark without a blank', '+498921800(WhatsApp)', '+498921800'],
    ['011, the prefix of calls from North America', '011 49 89 21800', '+498921800'],
    ['011 and dashes', '011-49-89-218001', '+4989218001'],
    ['011 and a trunk zero', '011 44 (0)20 7183 8750', '+442071838750'],
    ['eleven digits without a plus', '1 (212) 555-0123', '+12125550123'],
    ['twelve digits without a plus', '442071838750', '+442071838750'],
    ['a trunk zero and no plus', '44 (0)20 7183 8750', '+442071838750'],
    ['Arabic digits without a plus', '٤٤٢٠٧١٨٣٨٧٥٠', '+442071838750'],
    ['a scheme', 'p:+49 89 21800', '+498921800'],
    ['two zeros', '0049 89 21800', '+498921800'],
  ])('with %s is read', (_, written, value) => {
    expect(readLeadPhoneNumber(written)).toEqual({ value });
  });

  test('has an extension, also without a plus', () => {
    expect(readLeadPhoneNumber('1 212 555 0123 ext. 45')).toEqual({ value: '+12125550123', extension: '45' });
  });

  test.each([
    ['a Brazilian number without its country: no area code of North America begins with 1', '11 98765-4321'],
    ['a Brazilian number without its country: nobody has the country code 21', '21 98765-4321'],
    ['a British number without its country', '07911 123 456'],
    ['ten digits', '2125550123'],
    ['16 digits', '4420718387501234'],
    ['more digits than a number of its country has', '14155550123456'],
    ['words that are dialed', '+1 800 (FLOWERS)'],
    ['a remark alone', '(none)'],
    ['a word', 'n/a'],
  ])('is none if it is %s', (_, written) => {
    expect(readLeadPhoneNumber(written)).toBeUndefined();
  });
});

/** Mexico dropped the 1 in 2019 (IFT); Brazil added the ninth digit to mobile numbers until 2016 (Anatel, Resolução 553). */
test.each([
  ['+521 33 1234 5678', '+52 33 1234 5678', true],
  ['+52 1 55 8765 4321', '0052 55 8765 4321', true],
  ['whatsapp:+5213312345678', 'whatsapp:+523312345678', true],
  ['+55 11 98765-4321', '+55 11 8765-4321', true],
  ['+55 (0)85 9 7654-3210', '+55 85 7654-3210', true],
  ['whatsapp:+5511987654321', 'whatsapp:+551187654321', true],
  ['+52 33 1234 5678', '+52 33 1234 5679', false],
  ['+55 11 2345-6789', '+55 11 92345-6789', false],
  ['+55 11 98765-4321', '+55 21 98765-4321', false],
  ['+521 234 5678', '+52 234 5678', false],
  ['+1 212 555 0123', '+52 1 212 555 0123', false],
])('%j and %j: the same number is %s', (one, other, isSame) => {
  const form = (written: string) => sameNumberForm(readPhoneNumber(written)?.value ?? written);
  expect(form(one) === form(other)).toBe(isSame);
});
