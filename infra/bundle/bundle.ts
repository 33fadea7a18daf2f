import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { type FunctionPlan, planFunctions } from '../function-plan.ts';
import { projectRoot } from '../project.ts';
import type { Registered } from '../registry.ts';
import { buildAsset } from './assets.ts';
import { entries } from './entry-points.ts';
import { httpModules } from './http-modules.ts';
import { lazyModules, requiredLate } from './lazy-modules.ts';
import { nativeArgon2ForLambda, nativeArgon2Here } from './native-argon2.ts';

/**
 * Bundles the function of every operation into its own folder below `outdir`, as `<name>/index.mjs` with the export `handler`. One
 * esbuild call bundles all of them, so that shared files are read once. Functions that load code of ours late get a call each: their late
 * code is in files beside the bundle, and in one call esbuild would share such files among functions. `NATIVE_FILES=optional` in the
 * environment leaves out native files that cannot be fetched, for tests without a network.
 */
export async function bundle(operations: readonly Registered[], outdir: string): Promise<void> {
  collectGarbageRarely();
  const functions = planFunctions(operations);
  const split = functions.filter(loadsLate);
  const builds = [functions.filter((plan) => !split.includes(plan)), ...split.map((plan) => [plan])];
  await Promise.all(builds.map((some) => build(bundling(some, operations, outdir))));
}

/**
 * Whether a function loads code of ours with `import(…)` from files beside its bundle: operations that a step performs, code that a
 * reader of the stream rarely needs, and code that a simulation needs once it has read its workflow. Elsewhere such code is in the
 * bundle.
 */
function loadsLate({ trigger, steps }: FunctionPlan): boolean {
  return trigger === 'stream' || steps !== undefined;
}

/** The esbuild options for these functions: several, or one that loads code late. */
export function bundling(
  functions: readonly FunctionPlan[],
  operations: readonly Registered[],
  outdir: string,
): BuildOptions {
  const optional = process.env.NATIVE_FILES === 'optional';
  const splitting = functions.some(loadsLate);
  const options = { ...common, outdir, minify: true };
  return {
    ...options,
    ...(splitting && { splitting, chunkNames: `${functions[0]?.name}/[name]-[hash]` }),
    entryPoints: entryPointsOf(functions),
    plugins: [
      ...pluginsOf(functions, operations),
      lazyModules(
        functions.map(({ name }) => name),
        { ...options, plugins: [httpModules(), nativeArgon2ForLambda({ optional })] },
      ),
    ],
  };
}

/**
 * Bundles some functions for this machine: not minified, with source maps, and with their shared code in files beside them, which
 * takes a fifth of the time. Lambda could not load them, because a function's folder is incomplete. Resolves with the imports of
 * each of the project's files, by paths from the project's root; a function is `function:<name>`.
 */
export async function bundleForHere(
  functions: readonly FunctionPlan[],
  operations: readonly Registered[],
  outdir: string,
): Promise<Record<string, string[]>> {
  collectGarbageRarely();
  const { metafile } = await build({
    ...common,
    entryPoints: entryPointsOf(functions),
    outdir,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent', // The thrown error has the messages.
    plugins: [...pluginsOf(functions, operations), nativeArgon2Here()],
  });
  const { by, module, name } = requiredLate;
  const loading = Object.entries(metafile.outputs).filter(([, { inputs }]) => by in inputs);
  await build({
    ...common,
    entryPoints: loading.map(([path]) => ({ in: module, out: join(projectRoot, dirname(path), name) })),
    outdir,
  });
  const imports = Object.entries(metafile.inputs)
    .filter(([path]) => !path.includes('node_modules/'))
    .map(([path, input]): [string, string[]] => [path, input.imports.map((imported) => imported.path)]);
  return Object.fromEntries(imports.map(([path, some]) => [path, path === by ? [...some, module] : some]));
}

/**
 * esbuild, a Go program, would spend a quarter of its time on garbage collection, which such short builds hardly need. To be called before
 * the first use of esbuild: all others share its process.
 */
export function collectGarbageRarely(): void {
  process.env.GOGC ??= '400';
}

const common = {
  absWorkingDir: projectRoot,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  alias: {
    '@aws-sdk/credential-provider-node': join(projectRoot, 'infra/bundle/environment-credentials.ts'),
    '@modelcontextprotocol/server/_shims': join(projectRoot, 'infra/bundle/mcp-without-validation.ts'),
  },
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
} satisfies BuildOptions;

function entryPointsOf(functions: readonly FunctionPlan[]) {
  return functions.map(({ name }) => ({ in: `function:${name}`, out: `${name}/index` }));
}

function pluginsOf(functions: readonly FunctionPlan[], operations: readonly Registered[]): Plugin[] {
  return [entries(functions), assets(operations), httpModules()];
}

/** Resolves documents that are made at build time. */
function assets(operations: readonly Registered[]): Plugin {
  return {
    name: 'assets',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^asset:/ }, ({ path }) => ({
        path: path.slice('asset:'.length),
        namespace: 'asset',
      }));
      onLoad({ filter: /.*/, namespace: 'asset' }, async ({ path }) => {
        try {
          return { contents: JSON.stringify(await buildAsset(path, operations)), loader: 'json' };
        } catch (error) {
          // The message names the operation's file; esbuild would prefix it with the name of another one.
          if (error instanceof Error && error.name === 'Error') {
            return { errors: [{ text: error.message }] };
          }
          throw error;
        }
      });
    },
  };
}
