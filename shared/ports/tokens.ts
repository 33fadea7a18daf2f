import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { JSONWebKeySet } from 'jose';
import { SigningSecret, type SigningSecretStore, signingKeys } from '../kernel/auth/signing-secret.ts';
import { type TokenSigner, type TokenVerifier, tokenSigner, tokenVerifier } from '../kernel/auth/tokens.ts';
import { systemRuntime } from '../kernel/serve/invocation.ts';
import { toDigest } from '../table/digest.ts';
import { clientLimits } from './aws/client-limits.ts';
import { readStoredJson } from './aws/stored-secret.ts';
import { required } from './environment.ts';

/** The signing secret in AWS Secrets Manager. */
export function signingSecretStore(environment: NodeJS.ProcessEnv): SigningSecretStore {
  const SecretId = required(environment, 'SIGNING_SECRET_ARN');
  const client = new SecretsManagerClient(clientLimits);
  async function stored() {
    const { value, version } = await readStoredJson(client, SecretId);
    return { secret: value === undefined ? undefined : SigningSecret.parse(value), version };
  }
  return {
    read: async () => (await stored()).secret,
    async change(edit) {
      const { secret: existing, version } = await stored();
      const secret = await edit(existing);
      if (secret !== undefined && secret !== existing) {
        // Both of two writers who have read the same version name the next one the same, and Secrets Manager takes the first.
        const ClientRequestToken = toDigest(version);
        const SecretString = JSON.stringify(secret);
        await client.send(new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken }));
      }
      return secret;
    },
  };
}

export function provideSigningSecret(environment: NodeJS.ProcessEnv) {
  const store = signingSecretStore(environment);
  return (): SigningSecretStore => store;
}

/** Verifies with the public keys in the environment; the function cannot access the secret. */
export function provideTokenVerifier(environment: NodeJS.ProcessEnv) {
  const publicKeys = JSON.parse(required(environment, 'JWT_PUBLIC_KEYS')) as JSONWebKeySet;
  const verifier = tokenVerifier(publicKeys);
  return (): TokenVerifier => verifier;
}

/**
 * Signs with the signing secret, read while the function initialises. `SIGNING_KEYS` in the environment, a fingerprint, is not
 * read: it makes the deployment that changes the keys replace every process that holds the former ones.
 */
export function provideTokenSigner(environment: NodeJS.ProcessEnv) {
  const keys = signingKeys(signingSecretStore(environment));
  // If this fails, the first use of the keys reads them again and reports the error.
  keys.current(systemRuntime.clock()).catch(() => undefined);
  const signer = tokenSigner(keys);
  return (): TokenSigner => signer;
}
