import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { durableValue } from './durable-file.ts';
import type { Credentials } from './environment.ts';

const Stored = z.object({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) });

/**
 * What signs requests to the database, the object store and the secrets of a host. Random, and kept in `file` so that links and tools
 * still work after the next start; without a file, for this start only. A database of one's own may want real ones: those of the
 * environment.
 */
export async function hostCredentials(file: string | undefined): Promise<Credentials> {
  const { DYNAMODB_ENDPOINT, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
  if (DYNAMODB_ENDPOINT && AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY) {
    return { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  }
  const initial: Credentials = {
    // Letters and digits: DynamoDB Local takes no others.
    accessKeyId: `LOCAL${randomBytes(12).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
  const stored = await durableValue({ file, schema: Stored, initial });
  // Another object is stored, the same one is not.
  return stored.change((current) => (current === initial ? { ...initial } : current));
}
