/** As many marks as one letter has in no language. */
const maxMarks = 30;
const manyMarks = new RegExp(`\\p{M}{${maxMarks}}(?=\\p{M})`, 'gu');

/** Joins what stands around it, and is not moved itself when marks are put in order. */
const joiner = '\u034f';

/** Below this, what many marks take does not matter. */
const shortText = 300;

/**
 * Text as a search compares it: NFKC, lower case. Source: decisions 6, "search". A final sigma becomes a normal one: otherwise
 * the beginning of a word would not match the whole word.
 */
export function folded(text: string): string {
  return withFewMarks(text).normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
}

/**
 * The text with a joiner after each 30 marks in a row: to put all of them in order would take the square of their number. Source: Unicode
 * Standard Annex 15, "Stream-Safe Text Format".
 */
function withFewMarks(text: string): string {
  return text.length <= shortText ? text : text.replaceAll(manyMarks, `$&${joiner}`);
}
