import { type FSWatcher, watch } from 'node:fs';
import { sourceFolders } from '../sources.ts';

/** Changes within this time count as one, because editors write a file in several steps. */
const settlingMilliseconds = 100;

export interface SourceWatch {
  /** Reports a change that was made before the watch began. */
  changed(): void;
  stop(): void;
}

/**
 * Calls `onChange` after a change in the product's source folders, and not again until that call has ended. The host's own code is not
 * watched: it needs a restart.
 */
export function watchSources(root: string, onChange: () => Promise<void>): SourceWatch {
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let changedMeanwhile = false;
  let watchers: FSWatcher[] = [];

  // Each folder is watched by itself, because a recursive watch loses files that an editor replaces.
  function watchFolders(): void {
    const former = watchers;
    watchers = sourceFolders(root).map((folder) => watch(folder, changed).on('error', changed));
    for (const watcher of former) {
      watcher.close();
    }
  }

  function changed(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      watchFolders(); // There may be new folders.
      if (running) {
        changedMeanwhile = true;
      } else {
        void run();
      }
    }, settlingMilliseconds);
  }

  async function run(): Promise<void> {
    running = true;
    do {
      changedMeanwhile = false;
      await onChange();
    } while (changedMeanwhile);
    running = false;
  }

  watchFolders();
  return {
    changed,
    stop() {
      clearTimeout(timer);
      for (const watcher of watchers) {
        watcher.close();
      }
    },
  };
}
