import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const staticImport = /\b(?:from|import)\s*["']\.\/([\w-]+\.mjs)["']/g;

/** The files that a start of a function evaluates, by name: its bundle, and those beside it that are not only loaded late. */
export async function loadedFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const loaded = new Map<string, string>();
  const load = async (name: string): Promise<void> => {
    if (loaded.has(name)) {
      return;
    }
    const text = await readFile(join(folder, name), 'utf8');
    loaded.set(name, text);
    await Promise.all(Array.from(text.matchAll(staticImport), ([, other = '']) => load(other)));
  };
  await load('index.mjs');
  return loaded;
}
