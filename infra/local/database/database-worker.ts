// Works on the file of the embedded database in a thread of its own, because SQLite blocks until it is done or has its lock.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { FileTask, FileTaskEnd } from './database-file.ts';
import { expiredKeys } from './expiry-index.ts';
import { trimRecords } from './stream-trim.ts';

/** A task that does not get its lock within this time is left for later. */
const lockMilliseconds = 500;

parentPort?.on('message', (task: FileTask) => {
  parentPort?.postMessage(ended(task));
});

function ended(task: FileTask): FileTaskEnd {
  const file = String(workerData);
  try {
    using database = new DatabaseSync(file, { readOnly: 'expired' in task, timeout: lockMilliseconds });
    return 'expired' in task
      ? { keys: expiredKeys(database, task.expired) }
      : { deleted: trimRecords(database, task.trim) };
  } catch (error) {
    return { error: String(error) };
  }
}
