import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { jsonIn } from '../../kernel/json.ts';
import { isTransient, unavailable } from '../../kernel/transient-errors.ts';

/**
 * The JSON of a secret in AWS Secrets Manager; undefined until somebody stores it: a new secret holds random text.
 * @throws a 503 when Secrets Manager does not respond.
 */
export async function storedJson(client: SecretsManagerClient, SecretId: string): Promise<unknown> {
  try {
    const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
    return jsonIn(SecretString);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      return undefined;
    }
    throw isTransient(error) ? unavailable(error) : error;
  }
}
