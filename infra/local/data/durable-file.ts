import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type * as z from 'zod';
import { damaged } from './unusable-data.ts';

/**
 * Renames the finished `draft` to `file`. Once this resolves, the file survives a kill and a power cut; a reader sees the previous file or
 * the new one, never a part. Both paths must be on one file system, and the draft flushed.
 */
export async function publishDraft(draft: string, file: string): Promise<void> {
  await rename(draft, file);
  await flushDirectory(dirname(file));
}

/** Makes renames and removals in `directory` durable. */
export async function flushDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') {
    return; // Windows cannot open a directory, and journals its entries itself.
  }
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A JSON value in a file, or only in memory when it has no file. */
export interface DurableValue<T> {
  current(): T;
  /** Replaces the value. Changes happen one after the other; each resolves once its value is on disk. */
  change(next: (current: T) => T): Promise<T>;
}

/** Opens the value in `file`. Rejects when the file holds something that does not fit the schema. */
export async function openDurableValue<T>(options: {
  file: string | undefined;
  schema: z.ZodType<T>;
  initial: T;
}): Promise<DurableValue<T>> {
  const { file, schema, initial } = options;
  let value = file === undefined ? initial : await readValue(file, schema, initial);
  let lastChange: Promise<unknown> = Promise.resolve();

  async function store(next: T): Promise<void> {
    if (file === undefined) {
      return;
    }
    const draft = `${file}.draft`;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(draft, JSON.stringify(next, null, 2), { flush: true, mode: 0o600 });
    await publishDraft(draft, file);
  }

  return {
    current: () => value,
    change(next) {
      const change = lastChange.then(async () => {
        const changed = next(value);
        if (changed !== value) {
          await store(changed);
        }
        value = changed;
        return changed;
      });
      lastChange = change.catch(() => undefined);
      return change;
    },
  };
}

async function readValue<T>(file: string, schema: z.ZodType<T>, initial: T): Promise<T> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return initial;
    }
    throw damaged(file);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw damaged(file);
  }
}
