import * as z from 'zod/mini';
import { codePoints } from '../../../shared/kernel/code-points.ts';

/** In code points; the longest in use, a family or a flag, has fewer. */
const longestEmoji = 32;

/** The beginning of an emoji: a picture, the two letters of a flag, or a keycap. */
const picture = /^(\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\ufe0f?\u20e3)/u;

/** `:thumbs_up:` */
const shortCode = /^:[a-z0-9_+-]{1,30}:$/i;

function isOneCharacter(text: string): boolean {
  return [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].length === 1;
}

/** One visible emoji, whatever it consists of, or a short code. */
export const Emoji = z.string().check(
  z.refine(
    (text) =>
      codePoints(text) <= longestEmoji &&
      (shortCode.test(text) || (picture.test(text) && isOneCharacter(text))),
    `must be one emoji, or a short code like :thumbs_up:, of at most ${longestEmoji} characters`,
  ),
  z.meta({ maxLength: longestEmoji }),
);
