import * as z from 'zod';

/** How long a text is, as the contract counts: in Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
  }
  return count;
}

/** A text of `min` to `max` code points after trimming. */
export function text(max: number, min = 0) {
  return z
    .string()
    .trim()
    .refine((value) => codePoints(value) <= max, `must have at most ${max} characters`)
    .refine(
      (value) => codePoints(value) >= min,
      min === 1 ? 'must not be empty' : `must have at least ${min} characters`,
    )
    .meta({ maxLength: max, ...(min > 0 ? { minLength: min } : {}) });
}

/** Names and labels. Source: decisions 1, "Input caps". */
export const nameLimit = 200;

/** An identifier that the service minted; nothing else can name a record. */
export const Id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be an identifier');

/** Code points an e-mail address has. Source: decisions 1, "Input caps". */
export const emailLimit = 254;

/** True for what may be an e-mail address: only a message sent there could prove more. */
export function isEmailAddress(text: string): boolean {
  return codePoints(text) <= emailLimit && /^[^\s@\p{Cc}]+@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u.test(text);
}

export const EmailAddress = z
  .string()
  .trim()
  .refine(isEmailAddress, `must be an e-mail address of at most ${emailLimit} characters`)
  .meta({ format: 'email', maxLength: emailLimit });

/** How many records a page of a list has, and where it starts. Source: decisions 1, "Paging of new lists". */
export const paging = {
  limit: z.coerce.number('must be a whole number').int('must be a whole number').min(1).max(100).default(25),
  cursor: z.string().min(1).optional().describe('The nextCursor of the page before.'),
};
