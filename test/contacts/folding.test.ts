import { describe, expect, test } from 'vitest';
import { caseFolded, nameKey, searchFolded } from '../../shared/kernel/names/folded.ts';

/** As columns of the search index were folded before accents and invisible characters were left out. */
const formerlyFolded = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');

/** Every code point of the Basic Multilingual Plane, alone, among letters and before an accent. */
const everywhere = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
  .filter((character) => character.isWellFormed())
  .flatMap((character) => [character, `a${character}b`, `A${character}`, `${character}\u0301`]);

const changedBy = (fold: (text: string) => string, before: (text: string) => string = fold) =>
  everywhere.filter((text) => fold(before(text)) !== fold(text));

describe('Case', () => {
  // Source: CaseFolding.txt of Unicode 17, status C and F.
  test.each([
    ['sharp s', 'Straße', 'STRASSE'],
    ['capital sharp s (1E9E; F)', 'STRAẞE', 'strasse'],
    ['n with apostrophe (0149; F)', '\u0149', '\u02bcN'],
    ['j with caron (01F0; F)', '\u01f0', 'J\u030c'],
    ['iota with dialytika and tonos (0390; F)', '\u0390', '\u03aa\u0301'],
    ['Armenian ligature (0587; F)', '\u0587', '\u0535\u0552'],
    ['long s (017F; C)', 'Wa\u017fser', 'WASSER'],
    ['Kelvin sign (212A; C)', '\u212a', 'k'],
    ['Angstrom sign (212B; C)', '\u212b', '\u00e5'],
    ['Ohm sign (2126; C)', '\u2126', '\u03c9'],
    ['final sigma (03C2; C)', 'ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['final sigma in the middle', 'ὀδυσσεύς', 'ὈΔΥΣΣΕΎΣ'],
    ['i with dot above (0130; F)', '\u0130zmir', 'i\u0307ZMIR'],
    ['alpha with iota below (1FB3; F)', '\u1fb3', 'αι'],
    ['capital alpha with iota beside (1FBC; F)', '\u1fbc', 'αι'],
    ['iota below (0345; C)', 'α\u0345', 'ΑΙ'],
    ['Cherokee (AB70 and 13A0; C)', '\uab70', '\u13a0'],
    ['Cherokee (13F8 and 13F0; C)', '\u13f8', '\u13f0'],
    ['Georgian capitals (1C90; C)', '\u1c90', '\u10d0'],
    ['Cyrillic rounded ve (1C80; C)', '\u1c80', 'В'],
    ['titlecase dz with caron (01C5; C)', '\u01c5', '\u01c6'],
    ['Deseret, beyond the first plane (10400; C)', '\u{10400}', '\u{10428}'],
    ['an accent as a letter and a mark', 'CAFE\u0301', 'café'],
  ])('Texts are the same whatever the case: %s', (_, one, other) => {
    expect(caseFolded(one)).toBe(caseFolded(other));
    expect(nameKey(` ${one}\n`)).toBe(nameKey(other));
    expect(searchFolded(one)).toBe(searchFolded(other));
  });

  test.each([
    ['an accent', 'jose', 'josé'],
    ['dotless i (no folding but T in CaseFolding.txt)', 'ırmak', 'irmak'],
    ['a stroke', 'Lukasz', 'Łukasz'],
    ['a blank within', 'anna maria', 'annamaria'],
    ['a hyphen', 'anna-maria', 'anna maria'],
  ])('Texts are not the same by case alone: %s', (_, one, other) => {
    expect(caseFolded(one)).not.toBe(caseFolded(other));
    expect(nameKey(one)).not.toBe(nameKey(other));
  });

  // Source: Unicode Standard, D146 (NFKC_Casefold) beside D145, which keeps these apart.
  test.each([
    ['a Roman numeral', '\u2167', 'viii'],
    ['full width', 'ＡＬＩＣＥ', 'alice'],
    ['a soft hyphen', 'An\u00adna', 'anna'],
    ['a joiner that is never seen', 'An\u200dna', 'anna'],
    ['a variation selector', '❤\ufe0f', '❤'],
    ['a Hangul filler', 'a\u3164', 'A'],
    ['a superscript', 'm\u00b2', 'M2'],
  ])(
    'Conditions and searches leave out how a character is written, names of tags and stages do not: %s',
    (_, one, other) => {
      expect(caseFolded(one)).toBe(caseFolded(other));
      expect(nameKey(one)).not.toBe(nameKey(other));
    },
  );
});

describe('What was folded', () => {
  test('is the same when it is folded again, whatever is in it', () => {
    for (const fold of [caseFolded, nameKey, searchFolded]) {
      expect(changedBy(fold)).toEqual([]);
    }
  });

  test('by lower case alone is the same once it is folded for a search as it is today', () => {
    expect(changedBy(searchFolded, formerlyFolded)).toEqual([]);
  });

  test('is not the same, so that folding it again does something', () => {
    expect(changedBy((text) => text, formerlyFolded).length).toBeGreaterThan(1_000);
  });
});

test('Words are folded as they are alone, also beside one that takes the longer way', () => {
  const alone = everywhere.filter((text) => /^\P{M}/u.test(text));
  const differ = alone.filter((text) => caseFolded(`${text} \ufb01`) !== `${caseFolded(text)} fi`);
  expect(differ).toEqual([]);
});

test('A text of nothing but marks is folded in the time that its length takes, not its square', () => {
  const marks = `a${'\u0316\u0301\u093c'.repeat(100_000)}`;
  for (const fold of [caseFolded, nameKey, searchFolded]) {
    expect(fold(marks).length).toBeGreaterThan(100_000);
  }
});
