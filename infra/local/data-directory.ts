import { execFileSync } from 'node:child_process';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

/** The process that uses a data directory. Its start tells it from a later process with the same id. */
const Owner = z.object({ pid: z.number(), started: z.string() });
type Owner = z.infer<typeof Owner>;

/** What the host writes into its data directory; nothing else is ever deleted there. */
const CONTENT = [
  'build',
  'custom-resources.json',
  'database.sqlite',
  'database.sqlite-shm',
  'database.sqlite-wal',
  'objects',
  'queues',
  'secrets.json',
  'seeded.json',
  'sent-messages.ndjson',
  'streams.json',
];

/** A data directory that belongs to this process alone until it is released. */
export interface DataDirectory {
  path: string;
  release(): Promise<void>;
}

/** A host that has just been told to end is waited for this long. */
const PATIENCE_MILLISECONDS = 3000;

/** Takes possession of the directory; with `fresh`, empties it. Rejects when another process has it and keeps it. */
export async function claimDataDirectory(
  path: string,
  { fresh }: { fresh: boolean },
): Promise<DataDirectory> {
  await mkdir(path, { recursive: true });
  const lock = join(path, 'host.json');
  const draft = join(path, `host.${process.pid}.json`);
  const me: Owner = { pid: process.pid, started: startOf(process.pid) ?? '' };
  await writeFile(draft, JSON.stringify(me));
  try {
    // A link, and not a file that is written afterwards: whoever sees the lock can read its owner.
    const end = Date.now() + PATIENCE_MILLISECONDS;
    while (!(await linked(draft, lock))) {
      const owner = await ownerOf(lock);
      if (!owner || startOf(owner.pid) !== owner.started) {
        await rm(lock, { force: true });
      } else if (Date.now() < end) {
        await sleep(100);
      } else {
        throw new Error(
          `The data directory ${path} is in use by process ${owner.pid}: stop that, or choose another with DATA_DIR=.`,
        );
      }
    }
  } finally {
    await rm(draft, { force: true });
  }
  if (fresh) {
    await Promise.all(CONTENT.map((name) => rm(join(path, name), { recursive: true, force: true })));
  }
  return { path, release: () => rm(lock, { force: true }) };
}

async function linked(existing: string, name: string): Promise<boolean> {
  try {
    await link(existing, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function ownerOf(lock: string): Promise<Owner | undefined> {
  try {
    return Owner.parse(JSON.parse(await readFile(lock, 'utf8')));
  } catch {
    return undefined; // Left behind half-written, or just released.
  }
}

/** When the process started, as the system has it; undefined when there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? '' : undefined; // Without `ps` the id has to do.
  }
}
