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
  const ends = expression.includes('[') ? [...expression.matchAll(/-(?=(\\x\{?|.))/gsu)] : [];
  const letters = ends.reduce((sum, [, end = '']) => sum + lettersUpTo(end), 0);
  return (
    costOf.character * expression.length + costOf.unicodeClass * unicodeClasses + costOf.letter * letters
  );
}

/** How many letters a range may have that ends with this character, with `\x` and two digits, or with `\x{` and any number of them. */
function lettersUpTo(end: string): number {
  const last = { '\\x': 0xff, '\\x{': lastCased }[end] ?? end.codePointAt(0) ?? 0;
  return Math.min(last, lastCased);
}
