/** The length of a string as the contract counts it, in Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
  }
  return count;
}
