import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';

/** The imports of every file, by path from the project's root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export interface Imports {
  /** Types included. */
  readonly all: ImportGraph;
  /** At run time. */
  readonly values: ImportGraph;
}

const statement =
  /(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)/g;

/** Reads the imports of all files below these folders of `root`. */
export function importsBelow(root: string, folders: readonly string[]): Imports {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/')),
  );
  const found = files.map((file) => {
    const imported = [...readFileSync(join(root, file), 'utf8').matchAll(statement)].map(
      ([, type, from, dynamic]) => ({
        path: normalize(join(dirname(file), from ?? dynamic ?? '')).replaceAll(sep, '/'),
        isType: type !== undefined,
      }),
    );
    return { file, imported };
  });
  return {
    all: new Map(found.map(({ file, imported }) => [file, imported.map(({ path }) => path)])),
    values: new Map(
      found.map(({ file, imported }) => [
        file,
        imported.filter(({ isType }) => !isType).map(({ path }) => path),
      ]),
    ),
  };
}

/** All files that a file reaches by its imports and theirs. */
export function reachedFrom(file: string, imports: ImportGraph): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [...(imports.get(file) ?? [])];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (!reached.has(path)) {
      reached.add(path);
      next.push(...(imports.get(path) ?? []));
    }
  }
  return reached;
}
