import * as z from 'zod/mini';
import { atMost, emailLimit, isEmail } from '../../../shared/kernel/fields.ts';
import { digestOf } from '../../../shared/table/digest.ts';

/**
 * The normal form of an address, NFKC lower case, for comparisons, storage and responses. Lower case may decompose a character,
 * so it is normalized twice.
 */
const normalForm = [z.trim(), z.normalize('NFKC'), z.toLowerCase(), z.normalize('NFKC')] as const;
const documented = z.meta({ format: 'email', maxLength: emailLimit });

/** An address sent at login. Only its maximum length is checked: one that cannot exist is simply unknown. */
export const SentEmail = z.string().check(...normalForm, atMost(emailLimit), documented);

export const NewEmail = z.string().check(...normalForm, isEmail, documented);

/** A digest for an address in a key: an address may contain the separator. */
export function emailDigest(address: string): string {
  return digestOf(address);
}
