import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { lockDirectory, lockName, ownerOf } from './directory-lock.ts';
import { publishDraft } from './durable-file.ts';
import { damaged, madeByAnotherVersion } from './unusable-data.ts';

/**
 * The version of everything that a data directory holds. Raise it with every change after which this program would
 * misread what the one before has written: other keys or attributes of records, another shape of one of the files.
 * What a start repairs by itself, such as a file that is absent, needs no other version.
 */
export const dataVersion = 9;

/** Marks a directory as one of this program; `null` while it is emptied, and for one of before there were marks. */
const markName = 'switchboard.json';
const Mark = z.object({ version: z.number().nullable() });

/** What the host writes into its data directory beside the mark; nothing else is ever deleted there. */
const hostEntries: Readonly<Record<string, 'file' | 'directory'>> = {
  'aws.env': 'file',
  build: 'directory',
  cloud: 'directory', // Of before there were marks.
  'credentials.json': 'file',
  'custom-resources.json': 'file',
  'database.sqlite': 'file',
  'database.sqlite-shm': 'file',
  'database.sqlite-wal': 'file',
  'endpoints.json': 'file',
  objects: 'directory',
  queues: 'directory', // Of before queues were read.
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

/** A data directory that belongs to this process alone until it is released. */
export interface DataDirectory {
  path: string;
  release(): Promise<void>;
}

/**
 * Locks the directory for this process, after `onWait` for the one that has to end first; with `fresh`, empties it after
 * `whenLocked` has resolved. Rejects when another process goes on using it, when another version has made it, when it holds
 * files under the host's names that no host has made, and when it cannot be written.
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
      await closeToOthers(path);
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

/** Refuses a directory with files under the host's names that no host has made: they would be overwritten or deleted. */
async function refuseForeignFiles(path: string): Promise<void> {
  const names = await readdir(path);
  if (names.includes(markName) || (await isOlder(path))) {
    return;
  }
  const foreign = names.find((name) => isContent(name) || name === lockName);
  if (foreign === undefined) {
    return;
  }
  throw new Error(
    `${join(path, foreign)} was not written by Switchboard, which would overwrite it: choose another data directory with DATA_DIR=.`,
  );
}

/** Whether a host of before there were marks has made the directory: it left one of these files behind. */
async function isOlder(path: string): Promise<boolean> {
  const [owner, records, assembly] = await Promise.all([
    ownerOf(path),
    readFile(join(path, 'custom-resources.json')).catch(() => undefined),
    readdir(join(path, 'cloud'), { recursive: true }).catch(() => []),
  ]);
  return (
    owner !== undefined || records !== undefined || assembly.some((name) => basename(name) === 'cdk.out')
  );
}

/** Deletes everything that the host has written. The mark says meanwhile that the rest cannot be used. */
async function empty(path: string): Promise<void> {
  await mark(path, null);
  await Promise.all(
    Object.keys(hostEntries).map((name) => rm(join(path, name), { recursive: true, force: true })),
  );
  await mark(path, dataVersion);
}

/** Marks a new directory; what a former one holds must be of this version. */
async function requireThisVersion(path: string): Promise<void> {
  const names = await readdir(path);
  if (!names.includes(markName) && !names.some(isContent)) {
    return mark(path, dataVersion);
  }
  // The lock of a host that was killed may be the only sign that a host made it, and is gone by the next start.
  if (!names.includes(markName)) {
    await mark(path, null);
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

/**
 * Lets nobody else on the machine read what the host has written, as former versions did; and not look in at all, unless the directory
 * holds something of its owner's.
 */
async function closeToOthers(path: string): Promise<void> {
  const names = await readdir(path);
  for (const name of names.filter(isContent)) {
    await chmod(join(path, name), hostEntries[name] === 'directory' ? 0o700 : 0o600);
  }
  if (names.every((name) => isContent(name) || name === markName || name === lockName)) {
    await chmod(path, 0o700);
  }
}

/** The version that a directory says it has; undefined when its mark cannot be read. */
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
