import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Calls `onWrite` after every write of the database: its file changes with each. Returns what ends that. */
export function watchWrites(databaseFile: string, onWrite: () => void): () => void {
  const newest = `${basename(databaseFile)}-wal`;
  const watcher = watch(dirname(databaseFile), (_event, name) => name === newest && onWrite());
  return () => watcher.close();
}
