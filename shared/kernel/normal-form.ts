/** More marks than a letter has in any language. */
const maxMarks = 30;
const manyMarks = new RegExp(`\\p{M}{${maxMarks}}(?=\\p{M})`, 'gu');
const allTheMarks = new RegExp(`(\\p{M}{${maxMarks + 1},})`, 'u');

/** Joins its neighbours, and stays in place when marks are put in order. */
const joiner = '\u034f';

/** In UTF-16 code units; below this, even many marks take no noticeable time. */
const shortText = 300;

/**
 * The text with a joiner after each 30 marks in a row: putting all of them in order would take quadratic time. Source: Unicode
 * Standard Annex 15, "Stream-Safe Text Format".
 */
export function withFewMarks(text: string): string {
  return text.length <= shortText ? text : text.replaceAll(manyMarks, `$&${joiner}`);
}

const onlyAscii = /^[\0-\x7f]*$/;

/**
 * The text in the one form in which it is stored and compared: NFC. More marks in a row than any letter has stay as they were sent. Source:
 * decisions 1, "Text".
 */
export function normalized(text: string): string {
  if (onlyAscii.test(text)) {
    return text;
  }
  const parts = text.split(allTheMarks);
  return parts.map((part, index) => (index % 2 === 1 ? part : part.normalize('NFC'))).join('');
}
