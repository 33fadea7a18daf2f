import { Secret } from 'otpauth';
import { toDigest } from '../../../shared/table/digest.ts';

/** How many recovery codes a user gets. */
const count = 10;

/** Bytes of a recovery code: so many that nobody finds it from its digest. */
const size = 10;

/** New recovery codes: 16 letters and digits each, in groups of four. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () =>
    new Secret({ size }).base32.toLowerCase().replace(/.{4}(?=.)/g, '$&-'),
  );
}

/** The digest under which a recovery code is stored. Hyphens and capitals do not matter. */
export function recoveryDigest(code: string): string {
  return toDigest(code.replaceAll('-', '').toLowerCase());
}
