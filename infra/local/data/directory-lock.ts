import { execFileSync } from 'node:child_process';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

/** The file of a data directory that names the process that uses it. */
export const lockName = 'host.json';

/** The process that uses a data directory. Its start time distinguishes it from a later process with the same id. */
const Owner = z.object({ pid: z.number(), started: z.string() });
type Owner = z.infer<typeof Owner>;

/** How often to wait 100 ms for the process that holds the lock: a host that was told to stop has stopped by then. */
const maxWaits = 30;

/**
 * Locks the directory for this process and resolves with a function that unlocks it. `onWait` gets the id of a process that has to end
 * first; rejects when that process keeps running. The lock names its process, and is not a time stamp to renew, which would expire during
 * a breakpoint.
 */
export async function lockDirectory(
  path: string,
  onWait: (pid: number) => void,
): Promise<() => Promise<void>> {
  const lock = join(path, lockName);
  const draft = join(path, `host.${process.pid}.json`);
  const me: Owner = { pid: process.pid, started: startOf(process.pid) ?? '' };
  await writeFile(draft, JSON.stringify(me));
  try {
    // A link to a finished file: a process that sees the lock can read its owner.
    for (let waited = 0; !(await linked(draft, lock)); ) {
      const owner = await readLockOwner(path);
      if (!owner || startOf(owner.pid) !== owner.started) {
        await rm(lock, { force: true });
        continue;
      }
      if (waited === 0) {
        onWait(owner.pid);
      }
      if (waited === maxWaits) {
        throw new Error(
          `The data directory ${path} is in use by process ${owner.pid}: stop it, or choose another directory with DATA_DIR=.`,
        );
      }
      await sleep(100);
      waited += 1;
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

/** The process that has locked the directory, even if it has ended since; undefined when it is not locked. */
export async function readLockOwner(path: string): Promise<Owner | undefined> {
  try {
    return Owner.parse(JSON.parse(await readFile(join(path, lockName), 'utf8')));
  } catch {
    return undefined; // Half-written, or just released.
  }
}

/** The start time of the process as `ps` prints it; undefined when there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? '' : undefined; // Without `ps`, only the id is compared.
  }
}
