import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Milliseconds after a write of the file by which its commit can be read: readers see it once it has reached the disk. */
const commitMilliseconds = 50;

/**
 * Calls `onWrite` after each write of the database, which changes its file, and once more after the last of them. Returns a function that
 * stops this.
 */
export function watchWrites(databaseFile: string, onWrite: () => void): () => void {
  const newest = `${basename(databaseFile)}-wal`;
  let last: NodeJS.Timeout | undefined;
  const watcher = watch(dirname(databaseFile), (_event, name) => {
    if (name === newest) {
      onWrite();
      clearTimeout(last);
      last = setTimeout(onWrite, commitMilliseconds);
    }
  });
  return () => {
    watcher.close();
    clearTimeout(last);
  };
}
