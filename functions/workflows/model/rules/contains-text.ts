/** Below this, what `includes` takes at worst does not matter. */
const fewComparisons = 100_000;

/**
 * Whether a text contains another one. It takes at most twice as many comparisons as both have characters; of `includes`, texts that are
 * nearly alike all over take the product. Source: Knuth, Morris and Pratt, "Fast pattern matching in strings".
 */
export function containsText(text: string, part: string): boolean {
  if (text.length * part.length <= fewComparisons) {
    return text.includes(part);
  }
  const borders = bordersOf(part);
  let matched = 0;
  for (let place = 0; place < text.length; place += 1) {
    matched = extended(part, borders, matched, text.charCodeAt(place));
    if (matched === part.length) {
      return true;
    }
  }
  return false;
}

/** For each beginning of a text, how long the longest shorter beginning is that it also ends with. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length + 1);
  for (let length = 1; length < part.length; length += 1) {
    borders[length + 1] = extended(part, borders, borders[length] ?? 0, part.charCodeAt(length));
  }
  return borders;
}

/** How much of the part matches after one more character, when so much matched before it. */
function extended(part: string, borders: Uint32Array, before: number, character: number): number {
  let matched = before;
  while (matched > 0 && part.charCodeAt(matched) !== character) {
    matched = borders[matched] ?? 0;
  }
  return part.charCodeAt(matched) === character ? matched + 1 : 0;
}
