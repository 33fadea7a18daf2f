import { join, relative, sep } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { assetText } from './assets.ts';
import { lazyModules } from './lazy-modules.ts';
import { leftOut } from './left-out.ts';
import { portsOf } from './ports.ts';
import { projectRoot } from './project.ts';
import type { AnyOperation, Registered } from './registry.ts';

/** The kernel's way to run each kind of operation as a Lambda handler. */
const servedBy: Record<AnyOperation['kind'], readonly [module: string, name: string]> = {
  http: ['shared/kernel/serve-http.ts', 'serveHttp'],
  socket: ['shared/kernel/serve-socket.ts', 'serveSocket'],
  stream: ['shared/kernel/serve-stream.ts', 'serveStream'],
  authorizer: ['shared/kernel/serve-authorizer.ts', 'serveAuthorizer'],
  deployment: ['shared/kernel/serve-deployment.ts', 'serveDeployment'],
};

/**
 * Bundles every operation into a folder of its own below `outdir`, as `<name>/index.mjs` with the export `handler`: one
 * esbuild call for all of them, so that what they share is read once.
 */
export async function bundle(operations: readonly Registered[], outdir: string): Promise<void> {
  await build(bundling(operations, outdir));
}

/** The options of that call. */
export function bundling(operations: readonly Registered[], outdir: string): BuildOptions {
  const options = {
    absWorkingDir: projectRoot,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': join(projectRoot, 'infra/environment-credentials.ts') },
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  } satisfies BuildOptions;
  return {
    ...options,
    entryPoints: operations.map(({ name }) => ({ in: `function:${name}`, out: `${name}/index` })),
    plugins: [
      entries(operations),
      assets(operations),
      leftOut(),
      lazyModules(
        operations.map(({ name }) => name),
        options,
      ),
    ],
  };
}

/** What Lambda loads for an operation: the kernel, the operation, and the providers of exactly the ports it declares. */
function entryOf({ name, file, operation }: Registered): string {
  const [serveModule, serve] = servedBy[operation.kind];
  const ports = portsOf(operation.uses);
  const imports = ports.map(({ name: port, grade, provider: [module, provide] }) => {
    const provider = `import { ${provide} } from './${module}';`;
    return port === 'asset' ? `${provider}\nimport asset from 'asset:${grade}';` : provider;
  });
  const providers = ports.map(
    ({ name: port, provider: [, provide] }) =>
      `${port}: ${provide}(${port === 'asset' ? 'asset' : 'process.env'})`,
  );
  return [
    `import operation from './${relative(projectRoot, file).replaceAll(sep, '/')}';`,
    `import { ${serve} } from './${serveModule}';`,
    ...new Set(imports),
    `export const handler = ${serve}('${name}', operation, { ${providers.join(', ')} });`,
  ].join('\n');
}

function entries(operations: readonly Registered[]): Plugin {
  const byName = new Map(operations.map((one) => [one.name, one]));
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
          ? { errors: [{ text: `There is no operation "${path}".` }] }
          : { contents: entryOf(one), loader: 'js', resolveDir: projectRoot };
      });
    },
  };
}

/** Texts that are made at build time; the service answers them as they are. */
function assets(operations: readonly Registered[]): Plugin {
  return {
    name: 'assets',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^asset:/ }, ({ path }) => ({
        path: path.slice('asset:'.length),
        namespace: 'asset',
      }));
      onLoad({ filter: /.*/, namespace: 'asset' }, async ({ path }) => ({
        contents: await assetText(path, operations),
        loader: 'text',
      }));
    },
  };
}
