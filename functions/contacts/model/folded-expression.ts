import { caseFolded } from '../../../shared/kernel/names/folded.ts';

/** A quotation, an escape, a class of characters, or a letter beyond ASCII. */
const part = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:[^\]]*:\]|[^\]\\])*\]|[^\0-\x7f]/gu;

const isLetter = /^[^\0-\x7f]$/u;

/** What means something else than itself in an expression. */
const special = /[\\^$.|?*+()[\]{}]/g;

/**
 * A regular expression whose letters beyond ASCII are folded, so that it matches folded texts: the engine knows only the other cases of
 * single characters, while `ß` folded is `ss`. Classes, escapes and quotations stay as they are.
 */
export function withFoldedLetters(expression: string): string {
  return expression.replaceAll(part, (text) => (isLetter.test(text) ? foldedLetter(text) : text));
}

/** One character, or else a group: what repeats the letter must repeat all of it. */
function foldedLetter(letter: string): string {
  const folded = caseFolded(letter);
  const written = folded.replaceAll(special, String.raw`\$&`);
  return [...folded].length === 1 ? written : `(?:${written})`;
}
