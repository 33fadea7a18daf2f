import { withFewMarks } from '../normal-form.ts';

const onlyAscii = /^[\0-\x7f]*$/;

/** Letters that are folded by lower case alone: most of Latin, Cyrillic, Hebrew, Arabic, Japanese, Chinese and Korean, and punctuation. */
const simple =
  /^[\0-\x7f\xc0-\xd6\xd8-\xde\xe0-\xf6\xf8-\u012f\u0134-\u013e\u0141-\u0148\u014a-\u017e\u0400-\u045f\u05d0-\u05ea\u0621-\u064a\u2013-\u2016\u2018-\u201d\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3]*$/;

/** Characters that are never seen: joiners, soft hyphens, direction marks, variation selectors. */
const invisible = /\p{Default_Ignorable_Code_Point}+/gu;

/** Whether nothing but lower case makes a difference between a text and what is folded of it: then that takes little time. */
export const isFoldedByLowerCase = (text: string) => simple.test(text);

/**
 * Text in which neither case nor invisible characters matter, nor how a character is written (full width, ligature): `STRASSE` is the same
 * as `Straße`. Accents matter. Source: Unicode Standard, D146 (`NFKC_Casefold`); decisions 6, "search".
 */
export function caseFolded(text: string): string {
  if (isFoldedByLowerCase(text)) {
    return text.toLowerCase();
  }
  return withoutCase(withFewMarks(text.replaceAll(invisible, '')).normalize('NFKC')).normalize('NFKC');
}

/** Characters that change, or may change, more than their case when they are folded for a search. */
const notPlain = /[^ -_a-~]| {2}/;

/**
 * Accents of any script, and the points of Hebrew, Arabic and Syriac, which most people leave out. Kept are the marks without which a word is
 * another one: vowels of Indic scripts and of Thai, other sounds of Japanese syllables; and the joiners of `withFewMarks`.
 */
const accents =
  /(?![\u034f\u3099\u309a])\p{Script=Inherited}|(?=\p{Mn})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}]/gu;

/** Also an accent that stands alone: its compatible form is the accent on a blank. */
const apostrophes = /[`‘’‛ʹʻʼʽʾʿˈ′‵՚׳Ꞌꞌ]| [\u0300\u0301\u0313\u0314]/gu;
const hyphens = /[\p{Dash_Punctuation}−˗⁃]/gu;
const blanks = /[\s\p{Cc}]+/gu;

/** Letters that look like an accented one but are no composition of it. */
const plainLetters: ReadonlyMap<string, string> = new Map([
  ['ł', 'l'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['ı', 'i'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['þ', 'th'],
  ['ð', 'd'],
]);
const lettersToReplace = new RegExp(`[${[...plainLetters.keys()].join('')}]`, 'g');

/**
 * Text as a search compares it: `caseFolded`, without accents and points, and with one kind of apostrophe, hyphen and blank. The same again for a text
 * that is folded already, also by lower case alone, as columns of the search index were once. Source: decisions 6, "search".
 */
export function searchFolded(text: string): string {
  if (!notPlain.test(text)) {
    return text.toLowerCase();
  }
  return caseFolded(text)
    .normalize('NFKD')
    .replaceAll(apostrophes, "'")
    .replaceAll(accents, '')
    .replaceAll(lettersToReplace, (letter) => plainLetters.get(letter) ?? letter)
    .replaceAll(hyphens, '-')
    .replaceAll(blanks, ' ')
    .normalize('NFC');
}

/** A name in which case does not matter, nor blanks around it. Source: Unicode Standard, D145; decisions 1, "Text". */
export function nameKey(name: string): string {
  const trimmed = name.trim();
  return onlyAscii.test(trimmed)
    ? trimmed.toLowerCase()
    : withoutCase(withFewMarks(trimmed).normalize('NFD')).normalize('NFC');
}

/**
 * Full case folding, which JavaScript has only as a side effect: the lower case of the upper case, so that ß becomes ss. The dotless ı is a
 * letter of its own, although its upper case is I, and a final sigma is like any other: otherwise the beginning of a word would not
 * match the whole word. Cherokee becomes its lower case, not its upper case; the same letters are the same. Source: Unicode Standard, D144;
 * `CaseFolding.txt`, C and F.
 */
function withoutCase(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^ı]+/g, (letters) => letters.toUpperCase())
    .toLowerCase()
    .replaceAll('ς', 'σ');
}
