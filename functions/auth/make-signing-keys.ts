import { newSigningSecret, publicKeysOf, rotated } from '../../shared/auth/signing-secret.ts';
import { deploymentOperation } from '../../shared/kernel/trigger.ts';

/**
 * Takes the property `Generation`, a whole number from 1; a higher one rotates the keys. Returns `PublicKeys`, a JWK Set. With
 * the same or a lower generation it changes nothing.
 */
export default deploymentOperation({
  summary: 'Makes and rotates the keys that sign tokens',
  uses: { signingSecret: 'rotate' },
  async run({ Generation }, { signingSecret, now }) {
    const generation = Number(Generation);
    if (!Number.isSafeInteger(generation) || generation < 1) {
      throw new Error('The property Generation must be a whole number from 1.');
    }
    const existing = await signingSecret.read();
    if (existing !== undefined && generation <= existing.generation) {
      return { PublicKeys: JSON.stringify(publicKeysOf(existing)) };
    }
    const secret = await (existing === undefined
      ? newSigningSecret(generation, now)
      : rotated(existing, generation, now));
    await signingSecret.write(secret);
    return { PublicKeys: JSON.stringify(publicKeysOf(secret)) };
  },
});
