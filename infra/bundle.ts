import { join, relative, sep } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import type { Uses } from '../shared/kernel/operation.ts';
import type { PortName } from '../shared/kernel/ports.ts';
import { stepUsesOf, usesOf } from '../shared/kernel/uses.ts';
import { builtAsset } from './assets.ts';
import { descriptionTrimming } from './description-trimming.ts';
import { type FunctionPlan, functionsOf, type Trigger } from './function-plan.ts';
import { lazyModules } from './lazy-modules.ts';
import { nativeArgon2ForLambda, nativeArgon2Here } from './native-argon2.ts';
import { portsOf } from './ports.ts';
import { projectRoot } from './project.ts';
import type { Registered } from './registry.ts';
import { sdkTrimming } from './sdk-trimming.ts';

/** The function of the kernel that runs operations as a Lambda handler, by what triggers it. */
const servedBy: Record<Trigger, readonly [module: string, name: string]> = {
  http: ['shared/kernel/serve-http.ts', 'serveHttp'],
  socket: ['shared/kernel/serve-socket.ts', 'serveSocket'],
  stream: ['shared/kernel/serve-stream.ts', 'serveStream'],
  queue: ['shared/kernel/serve-queue.ts', 'serveQueue'],
  kept: ['shared/kernel/serve-kept-requests.ts', 'serveKeptRequests'],
  schedule: ['shared/kernel/serve-schedule.ts', 'serveSchedule'],
  authorizer: ['shared/kernel/serve-authorizer.ts', 'serveAuthorizer'],
  deployment: ['shared/kernel/serve-deployment.ts', 'serveDeployment'],
};

const servedKeeping = ['shared/kernel/serve-keeping-http.ts', 'serveKeepingHttp'] as const;

/**
 * Bundles the function of every operation into its own folder below `outdir`, as `<name>/index.mjs` with the export `handler`.
 * One esbuild call does it for all of them, so that shared files are read once. `NATIVE_FILES=optional` in the environment leaves
 * out native files that cannot be fetched, for tests without a network.
 */
export async function bundle(operations: readonly Registered[], outdir: string): Promise<void> {
  collectGarbageRarely();
  await build(bundling(operations, outdir));
}

export function bundling(operations: readonly Registered[], outdir: string): BuildOptions {
  const optional = process.env.NATIVE_FILES === 'optional';
  const functions = functionsOf(operations);
  const options = { ...common, outdir, minify: true };
  return {
    ...options,
    entryPoints: entryPointsOf(functions),
    plugins: [
      descriptionTrimming(),
      ...pluginsOf(functions, operations),
      lazyModules(
        functions.map(({ name }) => name),
        { ...options, plugins: [nativeArgon2ForLambda({ optional })] },
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
    logLevel: 'silent', // The error that is thrown says what is wrong.
    plugins: [...pluginsOf(functions, operations), nativeArgon2Here()],
  });
  return Object.fromEntries(
    Object.entries(metafile.inputs)
      .filter(([path]) => !path.includes('node_modules/'))
      .map(([path, { imports }]) => [path, imports.map((one) => one.path)]),
  );
}

/** esbuild is a Go program and spends a quarter of its time on collecting garbage: less often is enough for such short builds. */
function collectGarbageRarely(): void {
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
  alias: { '@aws-sdk/credential-provider-node': join(projectRoot, 'infra/environment-credentials.ts') },
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
} satisfies BuildOptions;

function entryPointsOf(functions: readonly FunctionPlan[]) {
  return functions.map(({ name }) => ({ in: `function:${name}`, out: `${name}/index` }));
}

function pluginsOf(functions: readonly FunctionPlan[], operations: readonly Registered[]): Plugin[] {
  return [entries(functions), assets(operations), sdkTrimming()];
}

/** The entry point for Lambda: the kernel, the function's operations, and for each the providers of exactly its ports. */
export function entryOf({ trigger, operations, steps = [] }: FunctionPlan): string {
  const [{ operation: first }] = operations;
  const isKeeping = trigger === 'http' && first.kind === 'http' && first.keeps !== undefined;
  const [serveModule, serve] = isKeeping ? servedKeeping : servedBy[trigger];
  const imports = [
    ...operations.map((one) => ({ ...one, uses: usesOf(one.operation) })),
    ...steps.map((one) => ({ ...one, uses: stepUsesOf(one.operation) })),
  ].flatMap(({ file, uses }, index) => [
    `import operation${index} from './${relative(projectRoot, file).replaceAll(sep, '/')}';`,
    ...portsOf(uses).flatMap(({ name, access, provider: [module, provide] }) => [
      `import { ${provide} } from './${module}';`,
      ...(name === 'asset' ? [`import ${access} from 'asset:${access}';`] : []),
    ]),
  ]);
  /** What is given to a port: where the deployment's resources are, unless it needs something else. */
  const givenTo = (port: PortName, access: string): string => {
    if (port === 'dueOperations') {
      return listed(served.slice(1));
    }
    if (port === 'stepOperations') {
      return listed(performed);
    }
    return port === 'asset' ? access : 'process.env';
  };
  const providersOf = (uses: Uses) =>
    portsOf(uses).map(
      ({ name, access, provider: [, provide] }) => `${name}: ${provide}(${givenTo(name, access)})`,
    );
  const inSource = (name: string, index: number, uses: Uses): Served => ({
    name: `'${name}'`,
    operation: `operation${index}`,
    providers: () => `{ ${providersOf(uses).join(', ')} }`,
  });
  const served = operations.map((one, index) => inSource(one.name, index, usesOf(one.operation)));
  const performed = steps.map((one, index) =>
    inSource(one.name, operations.length + index, stepUsesOf(one.operation)),
  );
  const [{ name, operation, providers }] = served as [Served, ...Served[]];
  const given =
    trigger === 'stream' || trigger === 'kept' ? listed(served) : `${name}, ${operation}, ${providers()}`;
  return [
    `import { ${serve} } from './${serveModule}';`,
    ...new Set(imports),
    `export const handler = ${serve}(${given});`,
  ].join('\n');
}

/** An operation in the source of an entry point. */
interface Served {
  readonly name: string;
  readonly operation: string;
  providers(): string;
}

function listed(all: readonly Served[]): string {
  const items = all.map(
    ({ name, operation, providers }) =>
      `{ name: ${name}, operation: ${operation}, providers: ${providers()} }`,
  );
  return `[${items}]`;
}

function entries(functions: readonly FunctionPlan[]): Plugin {
  const byName = new Map(functions.map((one) => [one.name, one]));
  return {
    name: 'functions',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^function:/ }, ({ path }) => ({
        path: path.slice('function:'.length),
        namespace: 'function',
      }));
      onLoad({ filter: /.*/, namespace: 'function' }, ({ path }) => {
        const one = byName.get(path);
        return one === undefined
          ? { errors: [{ text: `There is no function "${path}".` }] }
          : { contents: entryOf(one), loader: 'js', resolveDir: projectRoot };
      });
    },
  };
}

/** Documents made at build time. */
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
          return { contents: JSON.stringify(await builtAsset(path, operations)), loader: 'json' };
        } catch (error) {
          // The message names the operation's file; esbuild would put the name of another file in front of it.
          if (error instanceof Error && error.name === 'Error') {
            return { errors: [{ text: error.message }] };
          }
          throw error;
        }
      });
    },
  };
}
