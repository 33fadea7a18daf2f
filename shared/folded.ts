/**
 * Text as a search compares it: NFKC, lower case. Source: decisions 6, "search". A sigma is lower-cased by whether its word
 * ends there, which the beginning of a word must not depend on.
 */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
}
