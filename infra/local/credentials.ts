import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { openDurableValue } from './data/durable-file.ts';
import type { Credentials } from './environment.ts';

const Stored = z.object({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) });

/**
 * The credentials that sign requests to the database, the object store and the secrets of a host. They are random, and kept in `file`
 * so that links and tools still work after the next start; without a file they are good for this start only.
 */
export async function readHostCredentials(file: string | undefined): Promise<Credentials> {
  const initial: Credentials = {
    // Letters and digits: DynamoDB Local takes no others.
    accessKeyId: `LOCAL${randomBytes(12).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
  const stored = await openDurableValue({ file, schema: Stored, initial });
  // A change to the same object is not stored, so a copy is returned.
  return stored.change((current) => (current === initial ? { ...initial } : current));
}
