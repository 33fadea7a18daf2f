import { createHash } from 'node:crypto';
import * as z from 'zod';
import { codePoints } from '../kernel/fields.ts';

/** Code points an address has. Source: decisions 1, "Input caps". */
const limit = 254;

/**
 * An address in its normal form, NFKC lower case, in which addresses are compared, stored and answered. Lower case may
 * break the composition of a character; hence normalized twice.
 */
const normalForm = () => z.string().trim().normalize('NFKC').toLowerCase().normalize('NFKC');

const withinLimit = (address: string) => codePoints(address) <= limit;

/** An address as sent at login: the cap alone counts, so that one that cannot exist is simply unknown. */
export const SentEmail = normalForm()
  .refine(withinLimit, `must have at most ${limit} characters`)
  .meta({ format: 'email', maxLength: limit });

/** The address of a new account. Only a message sent there could prove more than this form. */
export const NewEmail = normalForm()
  .refine(
    (address) => withinLimit(address) && /^[^\s@\p{Cc}]+@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u.test(address),
    `must be an e-mail address of at most ${limit} characters`,
  )
  .meta({ format: 'email', maxLength: limit });

/** What stands for an address in normal form as part of a key: an address may contain what a key part must not. */
export function emailDigest(address: string): string {
  return createHash('sha256').update(address).digest('base64url');
}
