import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { projectRoot } from '../project.ts';

/** The source of a library's file, as it is to run; `path` is where that file is. */
type Rewrite = readonly [file: RegExp, rewrite: (source: string, path: string) => string];

const throwing = (file: RegExp): Rewrite => [file, (source) => sameExportsThatThrow(source)];

/**
 * Removes code from bundles that libraries import but no function of ours runs: it would be a fifth of every bundle, read at every cold
 * start. The versions of the libraries are pinned; the tests measure the bundles, and run some of them.
 */
const rewrites: readonly Rewrite[] = [
  // The names of status codes, which we do not use; importing them loads the HTTP client of `fetch`, 20 ms of every start.
  [
    /@middy\/util\/index\.js$/,
    (source) => source.replace('import { STATUS_CODES } from "node:http";', 'const STATUS_CODES = {};'),
  ],

  // No service that functions call responds with an event stream.
  throwing(/@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/),
  throwing(/@smithy\/signature-v4\/dist-es\/HeaderFormatter\.js$/),
  // Retries use the standard strategy.
  throwing(/@smithy\/core\/dist-es\/submodules\/retry\/util-retry\/AdaptiveRetryStrategy\.js$/),
  // The fallback for a Node.js without native hashes.
  throwing(/@smithy\/core\/dist-es\/submodules\/checksum\/sha256\/Sha256Js\.js$/),
  // A function knows its region from its environment and has no instance metadata.
  throwing(
    /@smithy\/core\/dist-es\/submodules\/config\/config-resolver\/regionConfig\/getInstanceMetadataRegion\.js$/,
  ),
  // A function has no ~/.aws/config, and a developer's must not change what functions do.
  [
    /@smithy\/core\/dist-es\/submodules\/config\/node-config-provider\/fromSharedConfigFiles\.js$/,
    () => `import { CredentialsProviderError } from '../property-provider/CredentialsProviderError';
      export const fromSharedConfigFiles = () => async () => {
        throw new CredentialsProviderError('Shared config files are not read');
      };`,
  ],

  // The endpoint rules cover every partition, FIPS and dual stack.
  [
    /@aws-sdk\/client-(dynamodb|secrets-manager|apigatewaymanagementapi)\/dist-es\/endpoint\/endpointResolver\.js$/,
    regional,
  ],
  // So nothing uses the functions of those rules, for partitions, ARNs and names of buckets.
  [
    /@aws-sdk\/core\/dist-es\/submodules\/client\/util-endpoints\/aws\.js$/,
    () => 'export const awsEndpointFunctions = {};',
  ],
  // The trace header is for services that invoke functions, and functions call no such service.
  [
    /@aws-sdk\/core\/dist-es\/submodules\/client\/middleware-recursion-detection\/recursionDetectionMiddleware\.js$/,
    () => 'export const recursionDetectionMiddleware = () => (next) => next;',
  ],
  // No operation that functions call has a host prefix; only looking for one needs the REST bindings.
  [
    /@smithy\/core\/dist-es\/submodules\/protocols\/HttpProtocol\.js$/,
    (source) => source.replace(/^ {4}setHostPrefix\([\s\S]*?^ {4}\}$/m, '    setHostPrefix() {}'),
  ],
  // No service that functions call responds with dates as text. Only a `Retry-After` could have one, which is then ignored.
  [
    /@smithy\/core\/dist-es\/submodules\/serde\/date-utils\.js$/,
    (source) =>
      source
        .replaceAll(/^const \w+ = new RegExp\(.*$/gm, '')
        .replaceAll(
          /^export const (parseRfc\w+) = [\s\S]*?^\};$/gm,
          "export const $1 = () => { throw new Error('Not in this bundle: see sdk-trimming.ts'); };",
        ),
  ],
  // DynamoDB's endpoints are regional and never discovered.
  [
    /@aws-sdk\/middleware-endpoint-discovery\/dist-es\/resolveEndpointDiscoveryConfig\.js$/,
    () => 'export const resolveEndpointDiscoveryConfig = (config) => config;',
  ],
  [
    /@aws-sdk\/middleware-endpoint-discovery\/dist-es\/configurations\.js$/,
    () => 'export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};',
  ],
  // Nothing extends the clients: without extensions their configuration stays as it is.
  [
    /@aws-sdk\/client-(dynamodb|secrets-manager|apigatewaymanagementapi)\/dist-es\/runtimeExtensions\.js$/,
    () => 'export const resolveRuntimeExtensions = (runtimeConfig) => runtimeConfig;',
  ],
  // No client sets a defaults mode, and detecting one would look up where the process runs.
  [
    /@smithy\/core\/dist-es\/submodules\/config\/defaults-mode\/resolveDefaultsModeConfig\.js$/,
    () => "export const resolveDefaultsModeConfig = () => async () => 'legacy';",
  ],
  // The version of Node.js is pinned in the templates.
  [
    /@aws-sdk\/core\/dist-es\/submodules\/client\/emitWarningIfUnsupportedVersion\.js$/,
    () => `export const state = { warningEmitted: true };
      export const emitWarningIfUnsupportedVersion = () => {};`,
  ],
  // Code that only the client of S3 needs, which no function has.
  throwing(
    /@smithy\/core\/dist-es\/submodules\/endpoints\/middleware-endpoint\/service-customizations\/s3\.js$/,
  ),
  // Parses the user agents of browsers, with a library that esbuild would put into files beside the bundles.
  throwing(
    /@aws-sdk\/core\/dist-es\/submodules\/client\/util-user-agent-browser\/createUserAgentStringParsingProvider\.js$/,
  ),
  // The client reads only the version.
  [
    /@aws-sdk\/client-[^/]+\/package\.json$/,
    (source) => JSON.stringify({ version: (JSON.parse(source) as { version: string }).version }),
  ],
];

/** Applies these rewrites. */
export function sdkTrimming(): Plugin {
  return {
    name: 'sdk-trimming',
    setup({ onLoad }) {
      for (const rewrite of rewrites) {
        const filter = new RegExp(rewrite[0].source.replaceAll('\\/', '[\\\\/]'));
        onLoad({ filter }, async ({ path }) => ({
          contents: rewritten(await readFile(path, 'utf8'), path, rewrite),
          loader: path.endsWith('.json') ? 'json' : 'js',
        }));
      }
    },
  };
}

/** @throws if the rewrite changes nothing. */
function rewritten(source: string, path: string, [, rewrite]: Rewrite): string {
  const result = rewrite(source, path);
  if (result === source) {
    throw new Error(`What is rewritten for bundles in ${path} is not there: has its version changed?`);
  }
  return result;
}

/** A module with the exports of `source`, all of which throw; called with `new` they return an empty object. */
function sameExportsThatThrow(source: string): string {
  const declared = [...source.matchAll(/^export (?:async )?(?:const|function|class) ([\w$]+)/gm)].map(
    ([, name]) => name,
  );
  const listed = [...source.matchAll(/^export \{([^}]+)\}/gm)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim().split(' as ').at(-1)),
  );
  const names = [...declared, ...listed].filter(Boolean);
  return `function trimmed() {
      if (!new.target) throw new Error('Not in this bundle: see sdk-trimming.ts');
    }
    export { ${names.map((name) => `trimmed as ${name}`).join(', ')} };`;
}

/** Endpoint names by client package. */
const services: Readonly<Record<string, string>> = {
  'client-dynamodb': 'dynamodb',
  'client-secrets-manager': 'secretsmanager',
  'client-apigatewaymanagementapi': 'execute-api',
};

function regional(_source: string, path: string): string {
  const service = services[/client-[^/]+/.exec(path)?.[0] ?? ''];
  return `import { regionalEndpoint } from ${JSON.stringify(`${projectRoot}/infra/bundle/regional-endpoint.ts`)};
    export const defaultEndpointResolver = regionalEndpoint('${service}');`;
}
