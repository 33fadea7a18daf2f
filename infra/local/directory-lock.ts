import { execFileSync } from 'node:child_process';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

/** The file of a data directory that says who uses it. */
export const lockName = 'host.json';

/** The process that uses a data directory. Its start tells it from a later process with the same id. */
const Owner = z.object({ pid: z.number(), started: z.string() });
type Owner = z.infer<typeof Owner>;

/** A host that has just been told to end is waited for this long. */
const patienceMilliseconds = 3000;

/** Locks the directory for this process; answers what takes the lock away. Rejects when another process has it and keeps it. */
export async function lockDirectory(path: string): Promise<() => Promise<void>> {
  const lock = join(path, lockName);
  const draft = join(path, `host.${process.pid}.json`);
  const me: Owner = { pid: process.pid, started: startOf(process.pid) ?? '' };
  await writeFile(draft, JSON.stringify(me));
  try {
    // A link, and not a file that is written afterwards: whoever sees the lock can read its owner.
    const end = Date.now() + patienceMilliseconds;
    while (!(await linked(draft, lock))) {
      const owner = await ownerOf(path);
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
  return () => rm(lock, { force: true });
}

async function linked(existing: string, name: string): Promise<boolean> {
  try {
    await link(existing, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

/** Who has locked the directory, also when that process has ended since; undefined when nobody has. */
export async function ownerOf(path: string): Promise<Owner | undefined> {
  try {
    return Owner.parse(JSON.parse(await readFile(join(path, lockName), 'utf8')));
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
