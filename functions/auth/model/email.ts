import * as z from 'zod/mini';
import { atMost, emailLimit, isEmail, normalForm } from '../../../shared/kernel/schemas/fields.ts';
import { digestOf } from '../../../shared/table/digest.ts';

/**
 * The normal form of an address, NFKC lower case, for comparisons, storage and responses. Lower case may decompose a character,
 * so it is normalized twice.
 */
const normalized = [
  z.trim(),
  ...normalForm('NFKC', emailLimit),
  z.toLowerCase(),
  z.normalize('NFKC'),
] as const;
const documented = z.meta({ format: 'email', maxLength: emailLimit });

/** An address sent at login. Only its maximum length is checked: one that cannot exist is simply unknown. */
export const SentEmail = z.string().check(...normalized, atMost(emailLimit), documented);

/**
 * Characters that the syntax of email gives a meaning: names beside addresses, lists, comments, quotations. Mail to an address with one of
 * them may go to another than the text shows, and one mailbox would have accounts without number.
 */
const syntax = /[<>()[\],;:\\"]/;

const isPlain = z.refine<string>(
  (address) => !syntax.test(address),
  'must be an email address without any of <>()[],;:\\"',
);

export const NewEmail = z.string().check(...normalized, isEmail, isPlain, documented);

/** An address that the mail service takes: of the characters of other scripts, none before the @. */
export const MailableEmail = NewEmail.check(
  z.refine(
    (address) => /^[!-~]+@/.test(address),
    'must have only ASCII characters before the @: email cannot be sent to any other address',
  ),
  documented,
);

/** A digest for an address in a key: an address may contain the separator. */
export function emailDigest(address: string): string {
  return digestOf(address);
}
