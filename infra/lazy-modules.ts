import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/**
 * Makes a package that our own code imports with `import(…)` a file beside the bundles that do so, `<package>.mjs`: a
 * large library that few calls need is then neither read nor parsed at a cold start. (Splitting by esbuild would share
 * files between functions, which Lambda cannot.) `folders` are the functions' folders below `outdir`.
 */
export function lazyModules(folders: readonly string[], options: BuildOptions & { outdir: string }): Plugin {
  return {
    name: 'lazy-modules',
    setup({ onResolve, onEnd }) {
      const packages = new Map<string, string>();
      onResolve({ filter: /^[^.]/ }, ({ path, kind, importer }) => {
        if (kind !== 'dynamic-import' || isBuiltin(path) || importer.includes('node_modules')) {
          return undefined;
        }
        const file = path.replaceAll(/[^\w-]+/g, '_');
        packages.set(file, path);
        return { path: `./${file}.mjs`, external: true };
      });
      onEnd(async ({ errors }) => {
        if (packages.size === 0 || errors.length > 0) {
          return;
        }
        const entryPoints = await Promise.all(
          folders.map(async (folder) => {
            const text = await readFile(join(options.outdir, folder, 'index.mjs'), 'utf8');
            return [...packages]
              .filter(([file]) => text.includes(`import("./${file}.mjs")`))
              .map(([file, name]) => ({ in: name, out: `${folder}/${file}` }));
          }),
        );
        await build({ ...options, entryPoints: entryPoints.flat() });
      });
    },
  };
}
