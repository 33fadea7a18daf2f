import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

/** The endpoints at which a running host stands in for AWS, and the credentials that they accept. */
const Endpoints = z.object({
  lambda: z.string(),
  objectStore: z.string(),
  queues: z.string(),
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
});
export type Endpoints = z.infer<typeof Endpoints>;

const fileIn = (directory: string) => join(directory, 'endpoints.json');

/** Lets `npm run redrive -- --local` find the host that runs on this data directory. Returns a function that removes the file. */
export async function publishEndpoints(
  directory: string,
  endpoints: Endpoints,
): Promise<() => Promise<void>> {
  await writeFile(fileIn(directory), JSON.stringify(endpoints), { mode: 0o600 });
  return () => rm(fileIn(directory), { force: true });
}

/** Rejects with a message for a person when no host runs on this data directory. */
export async function readPublishedEndpoints(directory: string): Promise<Endpoints> {
  const text = await readFile(fileIn(directory), 'utf8').catch(() => {
    throw new Error(
      `No host runs on ${directory}. Start it with \`npm run dev\`, or choose another directory with DATA_DIR=.`,
    );
  });
  return Endpoints.parse(JSON.parse(text));
}
