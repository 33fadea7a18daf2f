import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { lockDirectory, lockName, readLockOwner } from './directory-lock.ts';
import { publishDraft } from './durable-file.ts';
import { damaged, madeByAnotherVersion } from './unusable-data.ts';

/**
 * The version of everything in a data directory. Raise it with every change after which this program would misread what the previous one
 * has written: other keys or attributes of records, another shape of one of the files. What a start repairs by itself, such as a file that
 * is absent, needs no new version.
 */
export const dataVersion = 12;

/** The file that marks a directory as one of this program. Its version is `null` while the directory is emptied. */
const markName = 'switchboard.json';
const Mark = z.object({ version: z.number().nullable() });

/** The entries that the host writes into its data directory beside the mark; it never deletes anything else. */
const hostEntries: Readonly<Record<string, 'file' | 'directory'>> = {
  'aws.env': 'file',
  build: 'directory', // From before builds had a folder of their own.
  'credentials.json': 'file',
  'custom-resources.json': 'file',
  'database.sqlite': 'file',
  'database.sqlite-shm': 'file',
  'database.sqlite-wal': 'file',
  objects: 'directory',
  'queues.sqlite': 'file',
  'queues.sqlite-shm': 'file',
  'queues.sqlite-wal': 'file',
  'secrets.json': 'file',
  'seeded.json': 'file',
  'sent-mail.ndjson': 'file',
  'sent-messages.ndjson': 'file',
  'streams.json': 'file',
};

const isContent = (name: string) => Object.hasOwn(hostEntries, name);

/** A data directory that only this process uses until it is released. */
export interface DataDirectory {
  path: string;
  release(): Promise<void>;
}

/**
 * Locks the directory for this process. `onWait` is called when another process has to end first. With `fresh`, the directory is emptied
 * after `whenLocked` has resolved. Rejects when another process keeps using it, when another version has written it, when it holds files
 * under the host's names that no host has written, and when it cannot be written.
 */
export async function claimDataDirectory(
  path: string,
  options: { fresh: boolean; onWait?(pid: number): void; whenLocked?(): Promise<void> },
): Promise<DataDirectory> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await refuseForeignFiles(path);
    const release = await lockDirectory(path, (pid) => options.onWait?.(pid));
    try {
      await options.whenLocked?.();
      if (options.fresh) {
        await empty(path);
      }
      await requireThisVersion(path);
    } catch (error) {
      await release();
      throw error;
    }
    return { path, release };
  } catch (error) {
    const { code, path: where } = error as NodeJS.ErrnoException;
    if (code === undefined) {
      throw error;
    }
    throw new Error(
      `The data directory ${path} cannot be used: ${refusals[code] ?? `${code} at ${where ?? path}`}. Choose another with DATA_DIR=.`,
    );
  }
}

/** Why a file could not be written, by the code of the system. */
const refusals: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it is a file',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
};

/** Refuses a directory with files under the host's names that no host has written: they would be overwritten or deleted. */
async function refuseForeignFiles(path: string): Promise<void> {
  const names = await readdir(path);
  if (names.includes(markName)) {
    return;
  }
  // A host that was killed in its first moment has left its lock.
  const isLocked = (await readLockOwner(path)) !== undefined;
  const foreign = names.find((name) => isContent(name) || (name === lockName && !isLocked));
  if (foreign === undefined) {
    return;
  }
  throw new Error(
    `${join(path, foreign)} was not written by Switchboard, which would overwrite it: choose another data directory with DATA_DIR=.`,
  );
}

/** Deletes everything that the host has written. Meanwhile the mark says that the directory cannot be used. */
async function empty(path: string): Promise<void> {
  await mark(path, null);
  await Promise.all(
    Object.keys(hostEntries).map((name) => rm(join(path, name), { recursive: true, force: true })),
  );
  await mark(path, dataVersion);
}

/** Marks a new directory. @throws when an existing one is of another version, or damaged. */
async function requireThisVersion(path: string): Promise<void> {
  const names = await readdir(path);
  if (!names.includes(markName)) {
    return mark(path, dataVersion);
  }
  if ((await markOf(path)) !== dataVersion) {
    throw madeByAnotherVersion(`The data directory ${path}`);
  }
  for (const name of names.filter(isContent)) {
    const entry = await stat(join(path, name));
    if (hostEntries[name] !== (entry.isDirectory() ? 'directory' : 'file')) {
      throw damaged(join(path, name));
    }
  }
}

/** The version in the mark of a directory; undefined when the mark cannot be read. */
async function markOf(path: string): Promise<number | null | undefined> {
  try {
    return Mark.parse(JSON.parse(await readFile(join(path, markName), 'utf8'))).version;
  } catch {
    return undefined;
  }
}

async function mark(path: string, version: number | null): Promise<void> {
  const file = join(path, markName);
  await rm(file, { recursive: true, force: true });
  await writeFile(`${file}.draft`, JSON.stringify({ version } satisfies z.infer<typeof Mark>), {
    flush: true,
  });
  await publishDraft(`${file}.draft`, file);
}
