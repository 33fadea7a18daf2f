import { join, relative, sep } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import type { Uses } from '../../shared/kernel/operation.ts';
import type { PortName } from '../../shared/kernel/ports.ts';
import { stepUsesOf, usesOf } from '../../shared/kernel/uses.ts';
import { type FunctionPlan, functionsOf, type Trigger } from '../function-plan.ts';
import { portsOf } from '../ports.ts';
import { projectRoot } from '../project.ts';
import type { Registered } from '../registry.ts';
import { builtAsset } from './assets.ts';
import { descriptionTrimming } from './description-trimming.ts';
import { lazyModules } from './lazy-modules.ts';
import { nativeArgon2ForLambda, nativeArgon2Here } from './native-argon2.ts';
import { sdkTrimming } from './sdk-trimming.ts';

/** The function of the kernel that runs operations as a Lambda handler, by what triggers it. */
const servedBy: Record<Trigger, readonly [module: string, name: string]> = {
  http: ['shared/kernel/serve/serve-http.ts', 'serveHttp'],
  socket: ['shared/kernel/serve/serve-socket.ts', 'serveSocket'],
  stream: ['shared/kernel/serve/serve-stream.ts', 'serveStream'],
  queue: ['shared/kernel/serve/serve-queue.ts', 'serveQueue'],
  kept: ['shared/kernel/serve/serve-kept-requests.ts', 'serveKeptRequests'],
  schedule: ['shared/kernel/serve/serve-schedule.ts', 'serveSchedule'],
  authorizer: ['shared/kernel/serve/serve-authorizer.ts', 'serveAuthorizer'],
  deployment: ['shared/kernel/serve/serve-deployment.ts', 'serveDeployment'],
};

const servedKeeping = ['shared/kernel/serve/serve-keeping-http.ts', 'serveKeepingHttp'] as const;

/**
 * Bundles the function of every operation into its own folder below `outdir`, as `<name>/index.mjs` with the export `handler`. One
 * esbuild call bundles all of them, so that shared files are read once. Functions that load code of ours late get a call each: their late
 * code is in files beside the bundle, and in one call esbuild would share such files among functions. `NATIVE_FILES=optional` in the
 * environment leaves out native files that cannot be fetched, for tests without a network.
 */
export async function bundle(operations: readonly Registered[], outdir: string): Promise<void> {
  collectGarbageRarely();
  const functions = functionsOf(operations);
  const split = functions.filter(loadsLate);
  const builds = [functions.filter((one) => !split.includes(one)), ...split.map((one) => [one])];
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
    logLevel: 'silent', // The thrown error has the messages.
    plugins: [...pluginsOf(functions, operations), nativeArgon2Here()],
  });
  return Object.fromEntries(
    Object.entries(metafile.inputs)
      .filter(([path]) => !path.includes('node_modules/'))
      .map(([path, { imports }]) => [path, imports.map((one) => one.path)]),
  );
}

/** esbuild, a Go program, would spend a quarter of its time on garbage collection, which such short builds hardly need. */
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
  alias: {
    '@aws-sdk/credential-provider-node': join(projectRoot, 'infra/bundle/environment-credentials.ts'),
  },
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

/**
 * The source of the entry point for Lambda: the kernel, the function's operations, and for each operation the providers of exactly its
 * ports. The operations of steps are loaded when a step first performs one.
 */
export function entryOf({ name: functionName, trigger, operations, steps = [] }: FunctionPlan): string {
  const [{ operation: first }] = operations;
  const isKeeping = trigger === 'http' && first.kind === 'http' && first.keeps !== undefined;
  const [serveModule, serve] = isKeeping ? servedKeeping : servedBy[trigger];
  const imports = [
    ...operations.map((one, index) => `import operation${index} from ${pathOf(one)};`),
    ...[
      ...operations.map(({ operation }) => usesOf(operation)),
      ...steps.map(({ operation }) => stepUsesOf(operation)),
    ].flatMap((uses) =>
      portsOf(uses).flatMap(({ name, access, provider: [module, provide] }) => [
        `import { ${provide} } from './${module}';`,
        ...(name === 'asset' ? [`import ${access} from 'asset:${access}';`] : []),
      ]),
    ),
  ];
  /** The argument of a port's provider: mostly the environment, which names the deployment's resources. */
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
  const providersIn = (uses: Uses) => () => `{ ${providersOf(uses).join(', ')} }`;
  const served = operations.map(
    ({ name, operation }, index): Served => ({
      name: `'${name}'`,
      operation: `operation${index}`,
      providers: providersIn(usesOf(operation)),
    }),
  );
  const performed = steps.map((one, index) => ({
    name: `'${one.name}'`,
    load: `async () => (await import('steps:${functionName}')).operation${index}`,
    providers: providersIn(stepUsesOf(one.operation)),
  }));
  const [{ name, operation, providers }] = served as [Served, ...Served[]];
  const given =
    trigger === 'stream' || trigger === 'kept' ? listed(served) : `${name}, ${operation}, ${providers()}`;
  return [
    `import { ${serve} } from './${serveModule}';`,
    ...new Set(imports),
    `export const handler = ${serve}(${given});`,
  ].join('\n');
}

/** The source of the module with the operations that a function performs in steps. */
function stepsOf({ steps = [] }: FunctionPlan): string {
  return steps.map((one, index) => `export { default as operation${index} } from ${pathOf(one)};`).join('\n');
}

const pathOf = ({ file }: Registered) => `'./${relative(projectRoot, file).replaceAll(sep, '/')}'`;

/** An operation in the source of an entry point. */
interface Served {
  readonly name: string;
  readonly operation: string;
  providers(): string;
}

/** An operation of a step, which is loaded when it is performed. */
type Performed = Omit<Served, 'operation'> & { readonly load: string };

function listed(all: readonly (Served | Performed)[]): string {
  const items = all.map(
    ({ providers, ...fields }) =>
      `{ ${Object.entries(fields)
        .map(([field, source]) => `${field}: ${source}`)
        .join(', ')}, providers: ${providers()} }`,
  );
  return `[${items}]`;
}

/** Resolves the entry points, and the modules that they load later. */
function entries(functions: readonly FunctionPlan[]): Plugin {
  const byName = new Map(functions.map((one) => [one.name, one]));
  const sources = { function: entryOf, steps: stepsOf };
  return {
    name: 'functions',
    setup({ onResolve, onLoad }) {
      for (const [namespace, sourceOf] of Object.entries(sources)) {
        onResolve({ filter: new RegExp(`^${namespace}:`) }, ({ path }) => ({
          path: path.slice(`${namespace}:`.length),
          namespace,
        }));
        onLoad({ filter: /.*/, namespace }, ({ path }) => {
          const one = byName.get(path);
          return one === undefined
            ? { errors: [{ text: `There is no function "${path}".` }] }
            : { contents: sourceOf(one), loader: 'js', resolveDir: projectRoot };
        });
      }
    },
  };
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
          return { contents: JSON.stringify(await builtAsset(path, operations)), loader: 'json' };
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
