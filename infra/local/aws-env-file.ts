import { writeFile } from 'node:fs/promises';
import type { Credentials } from './environment.ts';
import { region } from './template/intrinsics.ts';

/** The settings that tools such as the AWS CLI need to reach a running host. */
export interface AwsEnv {
  endpoints: { dynamodb: string; s3: string; secretsManager: string };
  credentials: Credentials;
  tableName: string;
}

/** Writes the settings as a shell script that only the owner of the file can read. */
export async function writeAwsEnvFile(
  file: string,
  { endpoints, credentials, tableName }: AwsEnv,
): Promise<void> {
  const variables = {
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    TABLE_NAME: tableName,
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
  await writeFile(file, lines.join(''), { mode: 0o600 });
}
