import { createHash } from 'node:crypto';
import * as z from 'zod';
import { codePoints, emailLimit, isEmailAddress } from '../kernel/fields.ts';

/**
 * An address in its normal form, NFKC lower case, in which addresses are compared, stored and answered. Lower case may
 * break the composition of a character; hence normalized twice.
 */
const normalForm = () => z.string().trim().normalize('NFKC').toLowerCase().normalize('NFKC');

/** An address as sent at login: the cap alone counts, so that one that cannot exist is simply unknown. */
export const SentEmail = normalForm()
  .refine((address) => codePoints(address) <= emailLimit, `must have at most ${emailLimit} characters`)
  .meta({ format: 'email', maxLength: emailLimit });

/** The address of a new account. */
export const NewEmail = normalForm()
  .refine(isEmailAddress, `must be an e-mail address of at most ${emailLimit} characters`)
  .meta({ format: 'email', maxLength: emailLimit });

/** What stands for an address in normal form as part of a key: an address may contain what a key part must not. */
export function emailDigest(address: string): string {
  return createHash('sha256').update(address).digest('base64url');
}
