import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Calls `onWrite` after each write of the database, which changes its file. Returns a function that stops this. */
export function watchWrites(databaseFile: string, onWrite: () => void): () => void {
  const newest = `${basename(databaseFile)}-wal`;
  const watcher = watch(dirname(databaseFile), (_event, name) => name === newest && onWrite());
  return () => watcher.close();
}
