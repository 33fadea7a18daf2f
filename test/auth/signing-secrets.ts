import type { JSONWebKeySet } from 'jose';
import makeSigningKeys from '../../functions/auth/make-signing-keys.ts';
import type { Passwords } from '../../shared/kernel/auth/passwords.ts';
import type { SigningSecret, SigningSecretStore } from '../../shared/kernel/auth/signing-secret.ts';
import { cheapPasswords } from '../harness/product.ts';

/** A secret in memory that counts its reads, and that cannot be read while it is down. */
export interface SecretInMemory extends SigningSecretStore {
  reads: number;
  isDown: boolean;
}

export function secretInMemory(stored?: SigningSecret): SecretInMemory {
  return {
    reads: 0,
    isDown: false,
    async read() {
      this.reads += 1;
      if (this.isDown) {
        throw new Error('Unavailable');
      }
      return structuredClone(stored);
    },
    async change(edit) {
      const secret = await edit(structuredClone(stored));
      stored = structuredClone(secret);
      return secret;
    },
  };
}

export interface Deployed {
  readonly publicKeys: JSONWebKeySet;
  readonly fingerprint: string;
  /** What CloudFormation gets. */
  readonly output: Record<string, string>;
}

/** Makes the keys of a generation as a deployment does, and revokes those that are not trusted. */
export async function deployKeys(
  store: SigningSecretStore,
  generation: number | string,
  { at = new Date(), trustedFrom = 1, passwords = cheapPasswords as Passwords } = {},
): Promise<Deployed> {
  const output = (await makeSigningKeys.run(
    { Generation: String(generation), TrustedFrom: String(trustedFrom) },
    { signingSecret: store, passwords, now: at } as never,
  )) as Record<string, string>;
  const { PublicKeys = '', Fingerprint = '' } = output;
  return { publicKeys: JSON.parse(PublicKeys), fingerprint: Fingerprint, output };
}
