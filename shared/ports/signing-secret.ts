import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { SigningSecret, type SigningSecretStore } from '../auth/signing-secret.ts';
import { isPassing, unavailable } from '../kernel/passing-faults.ts';
import { clientLimits } from './client-limits.ts';

/** The signing secret in AWS Secrets Manager. */
export function signingSecretStore(environment: NodeJS.ProcessEnv): SigningSecretStore {
  const SecretId = environment.SIGNING_SECRET_ARN;
  if (SecretId === undefined) {
    throw new Error('SIGNING_SECRET_ARN is not set');
  }
  const client = new SecretsManagerClient(clientLimits);
  return {
    async read() {
      const text = await client.send(new GetSecretValueCommand({ SecretId })).then(
        ({ SecretString }) => SecretString,
        (error: unknown) => {
          if (error instanceof ResourceNotFoundException) {
            return undefined;
          }
          throw isPassing(error) ? unavailable(error) : error;
        },
      );
      const value = text === undefined ? undefined : jsonOf(text);
      return value === undefined ? undefined : SigningSecret.parse(value);
    },
    async write(secret) {
      await client.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(secret) }));
    },
  };
}

/** Until keys are made, the secret holds the random text that it was created with: no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function provideSigningSecret(environment: NodeJS.ProcessEnv) {
  const store = signingSecretStore(environment);
  return (): SigningSecretStore => store;
}
