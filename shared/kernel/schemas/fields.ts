import * as z from 'zod/mini';
import { codePoints } from '../code-points.ts';
import { idOf } from '../identifier.ts';

/**
 * Every cold start builds the schemas anew. They are therefore made with zod's small variant, shared where they are the same, and
 * kept apart from their records, so that an operation loads only those it needs.
 */
export const anyText = z.string();
export const yesOrNo = z.boolean();

/** A point in time in ISO 8601. Source: decisions 1, "Timestamps". */
export const dateTime = z.string().register(z.globalRegistry, { format: 'date-time' });

/** A calendar day: `YYYY-MM-DD`. */
export const calendarDay = z.string().register(z.globalRegistry, { format: 'date' });

/** At most `max` code points. What follows looks at no longer text: it may take much longer than to count it. */
export function atMost(max: number) {
  return z.refine<string>((value) => codePoints(value) <= max, {
    error: `must have at most ${max} characters`,
    abort: true,
  });
}

/** Unicode composes at most so many characters to one. Source: Unicode Standard Annex 15, "Composition". */
const mostComposed = 4;

/**
 * The normal form of a text that may then have at most `max` code points; a longer one is refused as it came where no normal form could be
 * short enough: to put its marks in order would take the square of their number.
 */
export function normalForm(form: 'NFC' | 'NFKC', max: number) {
  const mostUnits = 2 * mostComposed * max;
  return [
    z.refine<string>((value) => value.length <= mostUnits, {
      error: `must have at most ${max} characters`,
      abort: true,
    }),
    z.normalize(form),
  ] as const;
}

/** A text of at most `max` code points after trimming. */
export function text(max: number) {
  return z.string().check(z.trim(), atMost(max), z.meta({ maxLength: max }));
}

/** A text of 1 to `max` code points after trimming. */
export function filledText(max: number) {
  return z.string().check(
    z.trim(),
    atMost(max),
    z.refine((value) => value !== '', 'must not be empty'),
    z.meta({ minLength: 1, maxLength: max }),
  );
}

/** Names and labels. Source: decisions 1, "Input caps". */
export const nameLimit = 200;
export const Name = filledText(nameLimit);

/** An identifier. Any other text is one that no record has: "not found" instead of 400. Source: decisions 1, "Identifiers". */
export const Id = z.string().check(z.overwrite(idOf));

/** Code points that an e-mail address may have. Source: decisions 1, "Input caps". */
export const emailLimit = 254;

/** Whether a text can be an e-mail address; only a message to it could prove more. */
export function isEmailAddress(text: string): boolean {
  return codePoints(text) <= emailLimit && /^[^\s@\p{Cc}]+@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u.test(text);
}

export const isEmail = z.refine<string>(
  isEmailAddress,
  `must be an e-mail address of at most ${emailLimit} characters`,
);
