import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/** A module of ours that another one loads with `require`, from a file beside its bundle, when it first needs it. */
export const requiredLate = {
  by: 'shared/contacts/read-phone-number.ts',
  module: 'shared/contacts/numbering-plans.ts',
  name: 'numbering-plans',
} as const;

/** The SDK loads this module for operations that stream events, 18 KB: functions call none. */
const neverLoaded = '@smithy/core/event-streams';

/**
 * Turns a package that our own code imports with `import(…)` into a file `<package>.mjs` beside the bundles that do so: then a
 * cold start neither reads nor parses a large library that few invocations need. (Splitting by esbuild would share files between
 * functions, which Lambda cannot do.) The module that is required late becomes such a file, too. `folders` are the functions' folders
 * below `outdir`.
 */
export function lazyModules(folders: readonly string[], options: BuildOptions & { outdir: string }): Plugin {
  return {
    name: 'lazy-modules',
    setup({ onResolve, onEnd }) {
      const packages = new Map<string, string>();
      onResolve({ filter: /^[^.]/ }, ({ path, kind, importer }) => {
        if (kind !== 'dynamic-import' || isBuiltin(path)) {
          return undefined;
        }
        if (importer.includes('node_modules')) {
          return path === neverLoaded ? { path, external: true } : undefined;
        }
        const file = path.replaceAll(/[^\w-]+/g, '_');
        packages.set(file, path);
        return { path: `./${file}.mjs`, external: true };
      });
      onEnd(async ({ errors }) => {
        if (errors.length > 0) {
          return;
        }
        const entryPoints = await Promise.all(
          folders.map(async (folder) => {
            const text = await textIn(join(options.outdir, folder));
            const { module, name: required } = requiredLate;
            return [
              ...[...packages].filter(([file]) => text.includes(`import("./${file}.mjs")`)),
              ...(text.includes(`./${required}\${`) ? [[required, module] as const] : []),
            ].map(([file, name]) => ({ in: name, out: `${folder}/${file}` }));
          }),
        );
        await build({ ...options, entryPoints: entryPoints.flat() });
      });
    },
  };
}

/** The code of a function: its bundle, and the files beside it that have its operations. */
async function textIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.mjs'));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
}
