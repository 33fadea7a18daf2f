import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { durableValue } from './data/durable-file.ts';
import type { Credentials } from './environment.ts';

const Stored = z.object({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) });

/**
 * What signs requests to the database, the object store and the secrets of a host. Random, and kept in `file` so that links and tools
 * still work after the next start; without a file, for this start only.
 */
export async function hostCredentials(file: string | undefined): Promise<Credentials> {
  const initial: Credentials = {
    // Letters and digits: DynamoDB Local takes no others.
    accessKeyId: `LOCAL${randomBytes(12).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
  const stored = await durableValue({ file, schema: Stored, initial });
  // Another object is stored, the same one is not.
  return stored.change((current) => (current === initial ? { ...initial } : current));
}

/** What a database of one's own may want. */
export interface DatabaseCredentials extends Credentials {
  readonly sessionToken?: string;
}

/** Those of the environment, for the database of `DYNAMODB_ENDPOINT`; undefined when there is no such database, or none are set. */
export function databaseCredentials({
  DYNAMODB_ENDPOINT,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_SESSION_TOKEN: sessionToken,
}: NodeJS.ProcessEnv): DatabaseCredentials | undefined {
  return DYNAMODB_ENDPOINT && accessKeyId && secretAccessKey
    ? { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
    : undefined;
}
