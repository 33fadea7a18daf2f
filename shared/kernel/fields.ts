import * as z from 'zod/mini';
import { codePoints } from './code-points.ts';
import { idOf } from './identifier.ts';

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

/** At most `max` code points. */
export function atMost(max: number) {
  return z.refine<string>((value) => codePoints(value) <= max, `must have at most ${max} characters`);
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
