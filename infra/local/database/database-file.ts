import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ExpiredItems, ItemKey } from './expiry-index.ts';
import type { TrimmedRecords } from './stream-trim.ts';

export type FileTask = { expired: ExpiredItems } | { trim: TrimmedRecords };
export type FileTaskEnd = { keys: ItemKey[] } | { deleted: number } | { error: string };

/**
 * Direct access to the file of the running embedded database, for tasks that the database cannot do or takes minutes for. It does one task
 * at a time, in a thread that ends when this is disposed of.
 */
export interface DatabaseFile extends AsyncDisposable {
  /** Rejects when the database is busy for too long, and with an AbortError. */
  expiredKeys(items: ExpiredItems): Promise<ItemKey[]>;
  /** Resolves with the number of deleted records. Rejects when the database is busy for too long, and with an AbortError. */
  trim(records: TrimmedRecords): Promise<number>;
}

export function openDatabaseFile(file: string, signal: AbortSignal): DatabaseFile {
  const worker = new Worker(new URL('./database-worker.ts', import.meta.url), {
    workerData: file,
    execArgv: [],
  });

  async function run(task: FileTask): Promise<FileTaskEnd> {
    worker.postMessage(task);
    const [end] = (await once(worker, 'message', { signal })) as [FileTaskEnd];
    if ('error' in end) {
      throw new Error(end.error);
    }
    return end;
  }

  return {
    async expiredKeys(expired) {
      const end = await run({ expired });
      return 'keys' in end ? end.keys : [];
    },
    async trim(trim) {
      const end = await run({ trim });
      return 'deleted' in end ? end.deleted : 0;
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}
