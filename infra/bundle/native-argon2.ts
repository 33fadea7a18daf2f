import { copyFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { packageForLambda } from './package-for-lambda.ts';

/** The package that hashes passwords. It has a native file in a package for each platform; a bundle for Lambda gets only the file. */
const name = '@node-rs/argon2';
const lambda = { name: '@node-rs/argon2-linux-arm64-gnu', file: 'argon2.linux-arm64-gnu.node' } as const;

const wanted = { filter: new RegExp(`^${name}$`) };

/** For bundles that run on this machine: the installed package itself, wherever the bundle is. */
export function nativeArgon2Here(): Plugin {
  return {
    name: 'native-argon2-here',
    setup({ onResolve }) {
      const path = pathToFileURL(createRequire(import.meta.url).resolve(name)).href;
      onResolve(wanted, () => ({ path, external: true }));
    },
  };
}

/**
 * For bundles of the package alone: adds the native file for Lambda's processor, whatever this machine is, and a module that loads it
 * from its own folder. `optional` leaves out a file that cannot be fetched; Lambda then computes hashes more slowly.
 */
export function nativeArgon2ForLambda({ optional }: { optional: boolean }): Plugin {
  return {
    name: 'native-argon2-for-lambda',
    setup({ initialOptions: { entryPoints, outdir = '' }, onResolve, onLoad, onEnd }) {
      const folders = Array.isArray(entryPoints)
        ? entryPoints.flatMap((entry) =>
            typeof entry === 'object' && entry.in === name ? dirname(join(outdir, entry.out)) : [],
          )
        : [];
      onResolve(wanted, ({ path }) => ({ path, namespace: 'native' }));
      onLoad({ filter: /.*/, namespace: 'native' }, () => ({
        contents: `import { createRequire } from 'node:module';
          export const { hashRaw } = createRequire(import.meta.url)('./${lambda.file}');`,
      }));
      onEnd(async ({ errors }) => {
        if (folders.length === 0 || errors.length > 0) {
          return {};
        }
        try {
          const file = join(await packageForLambda(lambda.name), lambda.file);
          await Promise.all(folders.map((folder) => copyFile(file, join(folder, lambda.file))));
          return {};
        } catch (error) {
          const problem = { text: (error as Error).message };
          return optional ? { warnings: [problem] } : { errors: [problem] };
        }
      });
    },
  };
}
