import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { jsonIn } from '../../kernel/json.ts';
import { isTransient, unavailable } from '../../kernel/transient-errors.ts';

/**
 * The JSON of a secret in AWS Secrets Manager, with the id of its version; undefined until somebody stores it: a new secret holds random text.
 * @throws a 503 when Secrets Manager does not respond.
 */
export async function readStoredJson(
  client: SecretsManagerClient,
  SecretId: string,
): Promise<{ value: unknown; version: string }> {
  try {
    const stored = await client.send(new GetSecretValueCommand({ SecretId }));
    const { SecretString = '', VersionId: version = '' } = stored;
    return { value: jsonIn(SecretString), version };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      return { value: undefined, version: '' };
    }
    throw isTransient(error) ? unavailable(error) : error;
  }
}
