import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ExpiredItems, ItemKey } from './expiry-index.ts';
import type { TrimmedRecords } from './stream-trim.ts';

export type FileTask = { expired: ExpiredItems } | { trim: TrimmedRecords };
export type FileTaskEnd = { keys: ItemKey[] } | { deleted: number } | { error: string };

/**
 * The file of the running embedded database, for what that cannot do or takes minutes for. One task at a time, in a thread that
 * ends with this.
 */
export interface DatabaseFile extends AsyncDisposable {
  /** Rejects when the database has no time for it, and with an AbortError. */
  expiredKeys(items: ExpiredItems): Promise<ItemKey[]>;
  /** Answers how many it has deleted. Rejects when the database has no time for it, and with an AbortError. */
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
