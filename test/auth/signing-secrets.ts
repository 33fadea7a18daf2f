import type { SigningSecret, SigningSecretStore } from '../../shared/kernel/auth/signing-secret.ts';

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
