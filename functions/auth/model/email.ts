import { domainToASCII, domainToUnicode } from 'node:url';
import * as z from 'zod/mini';
import { atMost, compatibleForm, emailLimit, isEmail } from '../../../shared/kernel/schemas/fields.ts';
import { toDigest } from '../../../shared/table/digest.ts';

/**
 * The normal form of an address, NFKC lower case, for storage and responses. Lower case may decompose a character, so it is normalized
 * twice.
 */
const normalized = [z.trim(), ...compatibleForm(emailLimit), z.toLowerCase(), z.normalize('NFKC')] as const;
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

const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** In NFKC, the one that UTS 46 maps to a full stop. */
const fullStopsOfDomain = /。(?=[^@]*$)/g;

/** The address without invisible characters, without which others may compose. */
const visibleForm = (address: string) =>
  address.replace(invisible, '').normalize('NFKC').replace(fullStopsOfDomain, '.');

/** The characters that are left have no look of their own, or change that of their neighbours. */
const isVisible = z.refine<string>(
  (address) => !/\p{Cf}/u.test(address),
  'must be an email address without invisible characters',
);

const hasDomain = z.refine<string>(
  (address) => !isInternational(address) || asciiOf(address) !== undefined,
  'must be an email address whose domain can exist',
);

export const NewEmail = z
  .string()
  .check(...normalized, z.overwrite(visibleForm), isEmail, isVisible, isPlain, hasDomain, documented);

/** An address that the mail service takes: of the characters of other scripts, none before the @. */
export const MailableEmail = NewEmail.check(
  z.refine(
    (address) => /^[!-~]+@/.test(address),
    'must have only ASCII characters before the @: email cannot be sent to any other address',
  ),
  documented,
);

/** Whether the domain has letters of other scripts, or stands for one that has. */
function isInternational(address: string): boolean {
  return /@.*(?:[^\0-\x7f]|xn--)/.test(address);
}

/** The address with its domain in ASCII; undefined for a domain that IDNA does not know. Source: Unicode Technical Standard 46. */
function asciiOf(address: string): string | undefined {
  const [local, domain] = partsOf(address);
  const ascii = domainToASCII(domain);
  return ascii === '' ? undefined : `${local}${ascii}`;
}

function partsOf(address: string): [local: string, domain: string] {
  const after = address.lastIndexOf('@') + 1;
  return [address.slice(0, after), address.slice(after)];
}

/**
 * The digests under which an account may be: first the one under which new ones are, of the form in which addresses are compared. There,
 * a domain in ASCII and the same in its own script are one; it is the latter, as most accounts have it from before. Those of before may
 * also be under the address in ASCII, or as it was written. A digest, because an address may contain the separator of keys. Source:
 * decisions 3, "E-mail".
 */
export function emailDigests(address: string): [string, ...string[]] {
  const plain = visibleForm(address.normalize('NFKC').toLowerCase());
  const ascii = isInternational(plain) ? asciiOf(plain) : undefined;
  const compared = ascii === undefined ? plain : inOwnScript(ascii);
  const forms = new Set([compared, ascii ?? compared, address]);
  const [first = '', ...others] = [...forms].map(toDigest);
  return [first, ...others];
}

function inOwnScript(ascii: string): string {
  const [local, domain] = partsOf(ascii);
  return `${local}${domainToUnicode(domain)}`;
}

/** The first of `emailDigests`. */
export function emailDigest(address: string): string {
  return emailDigests(address)[0];
}
