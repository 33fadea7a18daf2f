import * as z from 'zod/mini';
import { codePoints } from '../code-points.ts';
import { toId } from '../identifier.ts';

/**
 * Every cold start builds the schemas anew. So they use zod's small variant, are shared where they are the same, and have files apart
 * from their records, so that an operation loads only those it needs.
 */
export const anyString = z.string();
export const anyBoolean = z.boolean();

/** A point in time in ISO 8601. Source: decisions 1, "Timestamps". */
export const dateTime = z.string().register(z.globalRegistry, { format: 'date-time' });

/** A calendar day: `YYYY-MM-DD`. */
export const calendarDay = z.string().register(z.globalRegistry, { format: 'date' });

/** At most `max` code points. Later checks do not run over a longer text: they may take much longer than counting. */
export function atMost(max: number) {
  return z.refine<string>((value) => codePoints(value) <= max, {
    error: `must have at most ${max} characters`,
    abort: true,
  });
}

/** Unicode composes at most this many characters into one. Source: Unicode Standard Annex 15, "Composition". */
const maxComposed = 4;

/**
 * The form of a string in which alike characters are one (NFKC); it may have at most `max` code points. A string so long that no normal
 * form could be short enough is refused before: normalizing it would take time quadratic in the number of its marks.
 */
export function compatibleForm(max: number) {
  const maxUnits = 2 * maxComposed * max;
  return [
    z.refine<string>((value) => value.length <= maxUnits, {
      error: `must have at most ${max} characters`,
      abort: true,
    }),
    z.normalize('NFKC'),
  ] as const;
}

/** A string of at most `max` code points after trimming. */
export function trimmedString(max: number) {
  return z.string().check(z.trim(), atMost(max), z.meta({ maxLength: max }));
}

/** Whether anything of a text can be seen: it is more than blanks, control and invisible characters. */
export const isVisible = (text: string) => /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text);

export const isNotEmpty = z.refine<string>(isVisible, 'must not be empty');

/** A string of 1 to `max` code points after trimming, of which something can be seen. */
export function nonEmptyString(max: number) {
  return z.string().check(z.trim(), atMost(max), isNotEmpty, z.meta({ minLength: 1, maxLength: max }));
}

/** A name or label: line breaks and control characters become a blank, and what cannot be seen is empty. Source: decisions 1, "Text". */
export const inOneLine = (text: string): string =>
  isVisible(text) ? text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim() : '';

const oneLine = z.overwrite(inOneLine);

/** A label: one line of at most `max` code points after trimming; may be empty. */
export function labelSchema(max: number) {
  return z.string().check(oneLine, atMost(max), z.meta({ maxLength: max }));
}

/** A name: one line of 1 to `max` code points after trimming. */
export function nameSchema(max: number) {
  return z.string().check(oneLine, atMost(max), isNotEmpty, z.meta({ minLength: 1, maxLength: max }));
}

/** Names and labels. Source: decisions 1, "Input caps". */
export const nameLimit = 200;
export const Name = nameSchema(nameLimit);

/**
 * Ids, email addresses, phone numbers and dates: where they are optional, forms send an empty text for none, which counts as null. So does
 * one in place of an optional number. Source: decisions 1, "`null` for an optional field".
 */
export const noneIfEmpty = z.registry<{ readonly noneIfEmpty: true }>();

/** The same schema, noted there. */
export function orEmpty<S extends z.ZodMiniType>(schema: S): S {
  noneIfEmpty.add(schema, { noneIfEmpty: true });
  return schema;
}

/** An identifier. Any other string is one that no record has: "not found" instead of 400. Source: decisions 1, "Identifiers". */
export const Id = orEmpty(z.string().check(z.overwrite(toId)));

/** Code points that an email address may have. Source: decisions 1, "Input caps". */
export const emailLimit = 254;

/** Whether a string can be an email address; only a message to it could prove more. IDNA knows full stops of other scripts, too. */
export function isEmailAddress(text: string): boolean {
  return (
    codePoints(text) <= emailLimit &&
    /^[^\s@\p{Cc}]+@[^\s@.。．｡\p{Cc}]+([.。．｡][^\s@.。．｡\p{Cc}]+)+$/u.test(text)
  );
}

export const isEmail = z.refine<string>(
  isEmailAddress,
  `must be an email address of at most ${emailLimit} characters`,
);
