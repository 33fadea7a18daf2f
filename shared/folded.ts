/** More marks than a letter has in any language. */
const maxMarks = 30;
const manyMarks = new RegExp(`\\p{M}{${maxMarks}}(?=\\p{M})`, 'gu');

/** Joins its neighbours, and stays in place when marks are put in order. */
const joiner = '\u034f';

/** In UTF-16 code units; below this, even many marks take no noticeable time. */
const shortText = 300;

/**
 * Text as a search compares it: NFKC, lower case. Source: decisions 6, "search". A final sigma becomes a normal one: otherwise
 * the beginning of a word would not match the whole word.
 */
export function folded(text: string): string {
  return withFewMarks(text).normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
}

/**
 * The text with a joiner after each 30 marks in a row: putting all of them in order would take quadratic time. Source: Unicode
 * Standard Annex 15, "Stream-Safe Text Format".
 */
function withFewMarks(text: string): string {
  return text.length <= shortText ? text : text.replaceAll(manyMarks, `$&${joiner}`);
}
