import {
  distrustingBefore,
  fingerprintOf,
  newSigningSecret,
  publicKeysOf,
  rotated,
  type SigningSecret,
} from '../../shared/auth/signing-secret.ts';
import { deploymentOperation } from '../../shared/kernel/trigger.ts';

/**
 * Takes the property `Generation`, a whole number from 1; a higher one rotates the keys. Keys of lower generations than the
 * property `TrustedFrom`, likewise a whole number, are distrusted at once. Returns `PublicKeys`, a JWK Set; `Fingerprint`, which
 * changes with the keys; and the `Generation` of the newest key. With the same or lower numbers it changes nothing.
 */
export default deploymentOperation({
  summary: 'Makes, rotates and distrusts the keys that sign tokens',
  uses: { signingSecret: 'rotate' },
  async run({ Generation, TrustedFrom }, { signingSecret, now }) {
    const generation = wholeNumber('Generation', Generation);
    const trustedFrom = wholeNumber('TrustedFrom', TrustedFrom);
    if (trustedFrom > generation) {
      throw new Error(`TrustedFrom is ${trustedFrom}, but Generation is only ${generation}.`);
    }
    const existing = await signingSecret.read();
    const secret = distrustingBefore(await secretOf(generation, existing, now), trustedFrom);
    if (secret !== existing) {
      await signingSecret.write(secret);
    }
    return {
      PublicKeys: JSON.stringify(publicKeysOf(secret)),
      Fingerprint: fingerprintOf(secret),
      Generation: String(secret.generation),
    };
  },
});

/** The secret with a key of this generation, if it has none of this or a higher one. */
async function secretOf(
  generation: number,
  existing: SigningSecret | undefined,
  now: Date,
): Promise<SigningSecret> {
  if (existing === undefined) {
    return newSigningSecret(generation, now);
  }
  return generation <= existing.generation ? existing : rotated(existing, generation, now);
}

function wholeNumber(name: string, text: string | undefined): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`The property ${name} must be a whole number from 1.`);
  }
  return number;
}
