import { withFewMarks } from './kernel/normal-form.ts';

/**
 * Text as a search compares it: NFKC, lower case. Source: decisions 6, "search". A final sigma becomes a normal one: otherwise
 * the beginning of a word would not match the whole word.
 */
export function folded(text: string): string {
  return withFewMarks(text).normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
}
