import type { JSONWebKeySet } from 'jose';
import { signingKeys } from '../kernel/auth/signing-secret.ts';
import { type TokenSigner, type TokenVerifier, tokenSigner, tokenVerifier } from '../kernel/auth/tokens.ts';
import { systemRuntime } from '../kernel/serve/invocation.ts';
import { required } from './environment.ts';
import { signingSecretStore } from './signing-secret.ts';

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
