import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SigningSecret, type SigningSecretStore } from '../kernel/auth/signing-secret.ts';
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
