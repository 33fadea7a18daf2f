import { hkdfSync } from 'node:crypto';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { keyLength } from '../kernel/secrets/authenticated-cipher.ts';
import { type KeySource, secretOpener, secretSealer } from '../kernel/secrets/sealed-secrets.ts';
import { isTransient, unavailable } from '../kernel/transient-errors.ts';
import { clientLimits } from './aws/client-limits.ts';
import { required } from './environment.ts';

/**
 * The key that is made of the random text in the secret SEALING_SECRET_ARN of AWS Secrets Manager. The process reads that once, while the
 * function initialises, when nobody waits. `open` is an argument, so that the bundle of a function that only opens contains nothing that
 * seals.
 */
function secretsPort<Port>(open: (key: KeySource) => Port, environment: NodeJS.ProcessEnv): () => Port {
  const SecretId = required(environment, 'SEALING_SECRET_ARN');
  const client = new SecretsManagerClient(clientLimits);

  async function readKey(): Promise<Uint8Array> {
    try {
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
      const text = SecretString as string;
      return new Uint8Array(hkdfSync('sha256', text, '', 'secrets in the table', keyLength));
    } catch (error) {
      throw isTransient(error) ? unavailable(error) : error;
    }
  }
  let held: Promise<Uint8Array> | undefined;
  function key(): Promise<Uint8Array> {
    held ??= readKey().catch((error: unknown) => {
      // A read that failed is not kept: the next use tries again.
      held = undefined;
      throw error;
    });
    return held;
  }
  // Whoever needs the key reports the error.
  key().catch(() => undefined);

  return (): Port => open(key);
}

export const provideSecretOpener = (environment: NodeJS.ProcessEnv) => secretsPort(secretOpener, environment);
export const provideSecretSealer = (environment: NodeJS.ProcessEnv) => secretsPort(secretSealer, environment);
