import * as z from 'zod/mini';
import { atMost, emailLimit, isEmail } from '../../../shared/kernel/fields.ts';
import { digestOf } from '../../../shared/table/digest.ts';

/**
 * An address in its normal form, NFKC lower case, in which addresses are compared, stored and answered. Lower case may
 * break the composition of a character; hence normalized twice.
 */
const normalForm = [z.trim(), z.normalize('NFKC'), z.toLowerCase(), z.normalize('NFKC')] as const;
const documented = z.meta({ format: 'email', maxLength: emailLimit });

/** An address as sent at login: the cap alone counts, so that one that cannot exist is simply unknown. */
export const SentEmail = z.string().check(...normalForm, atMost(emailLimit), documented);

/** The address of a new account. */
export const NewEmail = z.string().check(...normalForm, isEmail, documented);

/** What stands for an address in normal form as part of a key: an address may contain what a key part must not. */
export function emailDigest(address: string): string {
  return digestOf(address);
}
