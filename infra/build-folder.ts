import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from './project.ts';

/** Where builds are kept, so that no command builds again what an earlier one has built from the same sources. */
export const buildFolder = process.env.BUILD_DIR || join(projectRoot, 'node_modules/.cache/switchboard');

const day = 86_400_000;

/** Keeps these folders of builds for another day, and removes folders that nobody has used for so long. */
export async function keepUsed(names: Iterable<string>): Promise<void> {
  const now = new Date();
  for (const name of names) {
    await utimes(join(buildFolder, name), now, now);
  }
  const folders = (await readdir(buildFolder, { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  );
  for (const { name } of folders) {
    const path = join(buildFolder, name);
    // Another command may remove it at the same time.
    const usedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? now.getTime();
    if (now.getTime() - usedAt > day) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
