import { newSigningSecret, publicKeysOf, rotated } from '../../shared/auth/signing-secret.ts';
import { deploymentOperation } from '../../shared/kernel/trigger.ts';

/** Source: the test vectors of the reference implementation, phc-winner-argon2, `src/test.c`. */
const knownHash = {
  password: 'password',
  phc: '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
};

/**
 * Takes the property `Generation`, a whole number from 1; a higher one rotates the keys. Returns `PublicKeys`, a JWK Set. With
 * the same or a lower generation it changes nothing. It fails where passwords cannot be hashed: then the deployment fails, and not
 * the next login.
 */
export default deploymentOperation({
  summary: 'Makes and rotates the keys that sign tokens, and tries whether passwords can be hashed',
  uses: { signingSecret: 'rotate', passwords: 'hash' },
  async run({ Generation }, { signingSecret, passwords, now }) {
    const generation = Number(Generation);
    if (!Number.isSafeInteger(generation) || generation < 1) {
      throw new Error('The property Generation must be a whole number from 1.');
    }
    const { matches } = await passwords.verify(knownHash.password, knownHash.phc);
    if (!matches) {
      throw new Error('Password hashes are wrong: nobody could log in.');
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
