/** What all expressions of a request may cost before they are compiled, in units of about 10 ns. */
export const maxCompilingCost = 10_000_000;

/** Units for each character, for each Unicode class such as `\pL`, and for each letter in a range such as `[а-я]`. */
const costOf = { character: 500, unicodeClass: 60_000, letter: 10 };

/** No letter after this one has another case, so the engine takes the rest of a range at once. Source: re2js, `Unicode.MAX_FOLD`. */
const lastCased = 0x1e943;

/**
 * Units that it takes at most to compile a case-insensitive expression: the engine looks for the other cases of every letter in a range,
 * and sorts the thousand ranges of a Unicode class, however small the program is that comes of them.
 */
export function compilingCost(expression: string): number {
  const unicodeClasses = expression.match(/\\p/gi)?.length ?? 0;
  // Without brackets a hyphen is a hyphen.
  const ranges = expression.includes('[') ? [...expression.matchAll(range)] : [];
  const letters = ranges.reduce(
    (sum, [, start = '', end = '', code]) => sum + lettersIn(start, end, code),
    0,
  );
  return (
    costOf.character * expression.length + costOf.unicodeClass * unicodeClasses + costOf.letter * letters
  );
}

/** A hyphen, the character before it, and what is after it: a character, or the code of one. */
const range = /(?<=(.))-(?=(\\x(?:\{([0-9a-f]+)\})?|.))/gisu;

/** How many letters with another case a range may have; in ASCII, what looks like its start may be part of an escape. */
function lettersIn(start: string, end: string, code: string | undefined): number {
  const first = start.codePointAt(0) ?? 0;
  const last = code === undefined ? lastOf(end) : Number.parseInt(code, 16);
  return Math.max(0, Math.min(last, lastCased) - (first > 0x7f ? first : 0));
}

/** The code of a character; of `\x` with two digits, the largest. */
const lastOf = (end: string) => (end.length > 1 && end.startsWith('\\') ? 0xff : (end.codePointAt(0) ?? 0));
