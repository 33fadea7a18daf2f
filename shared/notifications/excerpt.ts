import { codePoints } from '../kernel/code-points.ts';

/** Code points of a notification's message. */
const longestMessage = 200;

/** The beginning of a text on one line that fits into a notification. It never cuts within a visible character (grapheme). */
export function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (codePoints(line) <= longestMessage) {
    return line;
  }
  const ellipsis = '…';
  let kept = '';
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(line)) {
    if (codePoints(kept + segment) > longestMessage - codePoints(ellipsis)) {
      break;
    }
    kept += segment;
  }
  return kept.trimEnd() + ellipsis;
}
