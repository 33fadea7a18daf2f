import {
  createSigningSecret,
  publicKeySet,
  rotateSecret,
  type SigningSecret,
  secretFingerprint,
  withoutKeysBefore,
} from '../../shared/kernel/auth/signing-secret.ts';
import { deploymentOperation } from '../../shared/kernel/trigger.ts';

/** Source: the test vectors of the reference implementation, phc-winner-argon2, `src/test.c`. */
const knownHash = {
  password: 'password',
  phc: '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
};

/**
 * Takes the property `Generation`, a whole number from 1; a higher one rotates the keys. Keys of lower generations than the
 * property `TrustedFrom`, likewise a whole number, are revoked at once. Returns `PublicKeys`, a JWK Set; `Fingerprint`, which
 * changes with the keys; and the `Generation` of the newest key. With the same or lower numbers it changes nothing.
 * It fails where passwords cannot be hashed: then the deployment fails, and not the next login.
 */
export default deploymentOperation({
  summary: 'Make, rotate and revoke the keys that sign tokens, and test that passwords can be hashed',
  uses: { signingSecret: 'rotate', passwords: 'hash' },
  async run({ Generation, TrustedFrom }, { signingSecret, passwords, now }) {
    const generation = wholeNumber('Generation', Generation);
    const trustedFrom = wholeNumber('TrustedFrom', TrustedFrom);
    if (trustedFrom > generation) {
      throw new Error(`TrustedFrom is ${trustedFrom}, but Generation is only ${generation}.`);
    }
    const { matches } = await passwords.verify(knownHash.password, knownHash.phc);
    if (!matches) {
      throw new Error('Password hashes are wrong: nobody could log in.');
    }
    const secret = await signingSecret.change(async (existing) =>
      withoutKeysBefore(await secretOf(generation, existing, now), trustedFrom),
    );
    return {
      PublicKeys: JSON.stringify(publicKeySet(secret)),
      Fingerprint: secretFingerprint(secret),
      Generation: String(secret.generation),
    };
  },
});

/** The secret with a key of this generation, unless it has one of this or a higher generation. */
async function secretOf(
  generation: number,
  existing: SigningSecret | undefined,
  now: Date,
): Promise<SigningSecret> {
  if (existing === undefined) {
    return createSigningSecret(generation, now);
  }
  return generation <= existing.generation ? existing : rotateSecret(existing, generation, now);
}

function wholeNumber(name: string, text: string | undefined): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`The property ${name} must be a whole number from 1.`);
  }
  return number;
}
