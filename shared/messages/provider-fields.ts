import * as z from 'zod/mini';
import { isPhoneNumber, readPhoneNumber } from '../contacts/read-phone-number.ts';
import { digitsIn, type ExactNumber, isNumber } from '../kernel/exact-numbers.ts';
import { nameLimit } from '../kernel/schemas/fields.ts';
import { toDigest } from '../table/digest.ts';

/** Says what is wrong with a field that is missing or of the wrong type. */
export const isRequired = ({ input }: { readonly input?: unknown }) =>
  input === undefined ? 'is required' : 'must be a string';

/** Digits that a sender wrote as a JSON number, however many. */
const Digits = z.pipe(
  z
    .custom<number | ExactNumber>(
      (value) => isNumber(value) && /^-?\d+$/.test(digitsIn(value)),
      'must be a string or a whole number',
    )
    .check(z.meta({ type: 'integer' })),
  z.transform(digitsIn),
);

const WrittenAddress = z.union([z.string(), z.pipe(Digits, z.transform(withItsPlus))], { error: isRequired });

const normalized = z.overwrite<string>(
  (written) => numberIn(written) ?? truncated(addressIn(written), nameLimit),
);

/**
 * A phone number in E.164, or any other text, possibly empty: unchanged but for a scheme, which gets lower case, and a number behind it.
 * A JSON number has lost its plus, which is added again.
 */
export const PossibleAddress = z.pipe(WrittenAddress, z.string().check(normalized));

/** The same, but not empty. */
export const Address = z.pipe(
  WrittenAddress,
  z.string().check(
    normalized,
    z.refine((address) => address !== '', 'must not be empty'),
  ),
);

/** The provider's id of a message or a call. */
export const Sid = z.pipe(z.union([z.string(), Digits], { error: isRequired }), z.string().check(z.trim()));

/** Identifies a record of a provider: its id, or a digest of an id that is too long to be stored. */
export function sidIdentity(sid: string): string {
  return sid.length > nameLimit ? toDigest(sid) : sid;
}

/** The prefix of an address in another service than telephony (`whatsapp:`, `rcs:`), and the rest. Source: RFC 3986, 3.1. */
const withScheme = /^([a-z][a-z0-9+.-]*):(.*)$/is;

function addressIn(written: string): string {
  const [, scheme, rest = ''] = withScheme.exec(written.trim()) ?? [];
  return scheme === undefined ? written.trim() : `${scheme.toLowerCase()}:${numberIn(rest) ?? rest.trim()}`;
}

/** The phone number of an organization in an address, with or without a scheme; the address itself if no organization can have it. */
export function ownNumberIn(address: string): string {
  const [, , number = address] = withScheme.exec(address) ?? [];
  return isPhoneNumber(number) ? number : address;
}

/** The phone number with this country code and number; a short code as it is. */
function withItsPlus(digits: string): string {
  return /^[1-9]\d{10,14}$/.test(digits) ? `+${digits}` : digits;
}

/** The number in E.164, also of a form whose `+` was not encoded, and so became a space. */
function numberIn(written: string): string | undefined {
  return readPhoneNumber(written.replace(/^ (?=[1-9]\d{10,14}$)/, '+'))?.value;
}

/** The first `limit` code points of a text. */
export function truncated(text: string, limit: number): string {
  return text.length <= limit ? text : [...text].slice(0, limit).join('');
}

/** Characters that the address of a file may have. */
const urlLimit = 2_000;

/** The address of a file at its provider; undefined for anything that cannot be fetched. */
export function fileUrlIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim().length > urlLimit || !URL.canParse(value.trim())) {
    return undefined;
  }
  const url = value.trim();
  return /^https?:$/.test(new URL(url).protocol) ? url : undefined;
}
