import { decrypted, encrypted } from './authenticated-cipher.ts';

/** A secret as a record holds it. A string is from before secrets were sealed, and is sealed when its record is written. */
export type StoredSecret = string | { readonly sealed: string };

/** The record that a secret is in: nobody can open it in another one, or in another organization. */
export interface SecretLocation {
  readonly organizationId: string;
  /** The subject of the record, such as `['PHONE_NUMBER', '+12025550142']`. */
  readonly record: readonly string[];
}

/** Opens secrets. */
export interface SecretOpener {
  /** @throws when the secret was sealed for another location, or with another key; a 503 when the key cannot be read. */
  open(stored: StoredSecret, location: SecretLocation): Promise<string>;
}

/** Seals secrets, and opens them. */
export interface SecretSealer extends SecretOpener {
  /** @throws a 503 when the key cannot be read. */
  seal(text: string, location: SecretLocation): Promise<StoredSecret>;
}

/** Returns the key, of 32 bytes. @throws a 503 when it cannot be read. */
export type KeySource = () => Promise<Uint8Array>;

export function secretOpener(key: KeySource): SecretOpener {
  return {
    async open(stored, location) {
      if (typeof stored === 'string') {
        return stored;
      }
      const text = decrypted(await key(), Buffer.from(stored.sealed, 'base64'), nameOf(location));
      if (text === undefined) {
        throw new Error('A stored secret was sealed with another key or for another record');
      }
      return text.toString();
    },
  };
}

export function secretSealer(key: KeySource): SecretSealer {
  return {
    ...secretOpener(key),
    async seal(text, location) {
      const sealed = encrypted(await key(), Buffer.from(text), nameOf(location));
      return { sealed: sealed.toString('base64') };
    },
  };
}

const nameOf = ({ organizationId, record }: SecretLocation) => JSON.stringify([organizationId, ...record]);
