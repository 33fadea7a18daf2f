import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { flushDirectory, publishDraft } from '../data/durable-file.ts';
import type { ContentChecksum } from './checksums.ts';

/** Everything about an object except its content. */
export interface ObjectRecord {
  key: string;
  size: number;
  /** The quoted MD5 of the content, in hexadecimal. */
  etag: string;
  /** ISO 8601. */
  lastModified: string;
  /** `content-type` and other headers, by lower-case name. */
  headers: Record<string, string>;
  checksum?: ContentChecksum | undefined;
  /** A new one for each write. */
  version: string;
}

/** An object that is open for reading; the reader is not affected when the object is replaced or deleted meanwhile. */
export interface OpenObject extends AsyncDisposable {
  record: ObjectRecord;
  /** The bytes from `start` to `end`, both included. */
  content(start: number, end: number): Readable;
}

/** Received content that is not an object yet. Unless it is published, it is deleted at the end of its scope. */
export interface Draft extends AsyncDisposable {
  etag: string;
  /**
   * Turns the content into an object that survives a crash. `condition` gets the record of the object that is replaced, undefined for none,
   * and throws to prevent that; no other write happens between the condition and this one.
   */
  publish(
    bucket: string,
    record: Omit<ObjectRecord, 'size' | 'etag' | 'version'>,
    condition?: (replaced: ObjectRecord | undefined) => void,
  ): Promise<void>;
  /** The version of the object once it is published. */
  version: string;
}

export interface Objects {
  hasBucket(bucket: string): boolean;
  receive(content: AsyncIterable<Buffer>): Promise<Draft>;
  open(bucket: string, key: string): Promise<OpenObject | undefined>;
  /** With a version, only if the object still has it: no other version is kept. */
  remove(bucket: string, key: string, version?: string): Promise<void>;
  /** All objects of a bucket, in no order. Opens each of them, so it is meant for buckets with few. */
  list(bucket: string): Promise<ObjectRecord[]>;
}

const lengthBytes = 4;

/**
 * Objects in a folder, one file each: the content, its record as JSON, and the length of that JSON. A single file is replaced atomically,
 * so content and record never disagree. Its name is a hash, so no key can lead out of the folder.
 */
export async function openObjects(dir: string, buckets: string[]): Promise<Objects> {
  const drafts = join(dir, '.drafts');
  await rm(drafts, { recursive: true, force: true });
  for (const folder of [drafts, ...buckets.map((bucket) => join(dir, bucket))]) {
    await mkdir(folder, { recursive: true });
  }
  const fileOf = (bucket: string, key: string) =>
    join(dir, bucket, createHash('sha256').update(key).digest('hex'));
  const changes = new Changes();

  return {
    hasBucket: (bucket) => buckets.includes(bucket),
    receive: (content) => receiveDraft(join(drafts, randomUUID()), content, fileOf, changes),
    open: (bucket, key) => openObject(fileOf(bucket, key)),
    remove(bucket, key, version) {
      const file = fileOf(bucket, key);
      return changes.of(file, async () => {
        if (version !== undefined && (await recordIn(file))?.version !== version) {
          return;
        }
        await rm(file, { force: true });
        await flushDirectory(join(dir, bucket));
      });
    },
    async list(bucket) {
      const names = await readdir(join(dir, bucket));
      const records: ObjectRecord[] = [];
      for (const name of names) {
        await using object = await openObject(join(dir, bucket, name));
        if (object) {
          records.push(object.record);
        }
      }
      return records;
    },
  };
}

async function receiveDraft(
  draft: string,
  content: AsyncIterable<Buffer>,
  fileOf: (bucket: string, key: string) => string,
  changes: Changes,
): Promise<Draft> {
  const file = await open(draft, 'wx');
  const md5 = createHash('md5');
  let size = 0;
  async function discard(): Promise<void> {
    await file.close();
    await rm(draft, { force: true });
  }
  try {
    for await (const chunk of content) {
      await file.writeFile(chunk);
      md5.update(chunk);
      size += chunk.length;
    }
  } catch (error) {
    await discard();
    throw error;
  }
  const etag = `"${md5.digest('hex')}"`;
  const version = randomUUID().replaceAll('-', '');
  return {
    etag,
    version,
    async publish(bucket, attributes, condition) {
      const record = Buffer.from(
        JSON.stringify({ ...attributes, size, etag, version } satisfies ObjectRecord),
      );
      const length = Buffer.alloc(lengthBytes);
      length.writeUInt32BE(record.length);
      await file.writeFile(Buffer.concat([record, length]));
      await file.sync();
      const object = fileOf(bucket, attributes.key);
      await changes.of(object, async () => {
        condition?.(await recordIn(object));
        await publishDraft(draft, object);
      });
    },
    [Symbol.asyncDispose]: discard,
  };
}

/** Changes of a file come one after the other, so that what one finds is what it replaces. */
class Changes {
  readonly #last = new Map<string, Promise<void>>();

  async of(file: string, change: () => Promise<void>): Promise<void> {
    const pending = (this.#last.get(file) ?? Promise.resolve()).then(change);
    const ended = pending.catch(() => undefined);
    this.#last.set(file, ended);
    try {
      await pending;
    } finally {
      if (this.#last.get(file) === ended) {
        this.#last.delete(file);
      }
    }
  }
}

async function recordIn(path: string): Promise<ObjectRecord | undefined> {
  await using object = await openObject(path);
  return object?.record;
}

async function openObject(path: string): Promise<OpenObject | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return undefined;
    }
    throw error;
  });
  if (!file) {
    return undefined;
  }
  try {
    const { size } = await file.stat();
    const length = await file.read(Buffer.alloc(lengthBytes), 0, lengthBytes, size - lengthBytes);
    const recordSize = length.buffer.readUInt32BE();
    const start = size - lengthBytes - recordSize;
    const { buffer } = await file.read(Buffer.alloc(recordSize), 0, recordSize, start);
    const record = JSON.parse(buffer.toString()) as ObjectRecord;
    return {
      record,
      content: (from, to) => file.createReadStream({ start: from, end: to, autoClose: false }),
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
