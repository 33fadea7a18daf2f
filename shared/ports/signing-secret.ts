import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SigningSecret, type SigningSecretStore } from '../auth/signing-secret.ts';
import { clientLimits } from './aws/client-limits.ts';
import { storedJson } from './aws/stored-secret.ts';
import { required } from './environment.ts';

/** The signing secret in AWS Secrets Manager. */
export function signingSecretStore(environment: NodeJS.ProcessEnv): SigningSecretStore {
  const SecretId = required(environment, 'SIGNING_SECRET_ARN');
  const client = new SecretsManagerClient(clientLimits);
  return {
    async read() {
      const value = await storedJson(client, SecretId);
      return value === undefined ? undefined : SigningSecret.parse(value);
    },
    async write(secret) {
      await client.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(secret) }));
    },
  };
}

export function provideSigningSecret(environment: NodeJS.ProcessEnv) {
  const store = signingSecretStore(environment);
  return (): SigningSecretStore => store;
}
