import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import packageJson from '../../package.json' with { type: 'json' };
import { type BuiltAsset, entityTag } from '../../shared/kernel/http/asset.ts';
import type { PortTypes } from '../../shared/kernel/ports.ts';
import { buildClient, buildDeclarations } from '../client/build-client.ts';
import { agentTools } from '../openapi/agent-tools.ts';
import { asyncApiDocument } from '../openapi/async-api.ts';
import { openApiDocument } from '../openapi/document.ts';
import { buildDocumentationPage } from '../openapi/documentation-page.ts';
import { documentationIndex, documentationText } from '../openapi/documentation-text.ts';
import { ofKind, type Registered } from '../registry.ts';
import { routeKeys } from '../route-keys.ts';
import { workflowNodeTypes } from '../workflow-node-types.ts';

const { version } = packageJson;

type AssetName = keyof PortTypes['asset'];

type Document = Pick<BuiltAsset, 'headers'> & {
  readonly text: string;
  /** Part of the entity tag, so that a client can read from it what it has. */
  readonly version?: string;
};

/** How to make each document when the bundle is built. */
const made: Record<AssetName, (operations: readonly Registered[]) => Document | Promise<Document>> = {
  openapi: (operations) => ({ text: JSON.stringify(openApiDocument(operations)) }),
  asyncapi: (operations) => ({ text: JSON.stringify(asyncApiDocument(operations)) }),
  documentation: buildDocumentationPage,
  documentationIndex: (operations) => ({ text: documentationIndex(openApiDocument(operations)) }),
  documentationText: (operations) => ({ text: documentationText(openApiDocument(operations)) }),
  routes: (operations) => ({ text: JSON.stringify(routesByPath(operations)) }),
  tools: (operations) => ({ text: JSON.stringify({ version, tools: agentTools(operations) }) }),
  workflowNodeTypes: () => ({ text: JSON.stringify(workflowNodeTypes()) }),
  client: async (operations) => ({ text: await buildClient(operations), version }),
  clientTypes: (operations) => ({ text: buildDeclarations(operations), version }),
};

export const assetNames = Object.keys(made) as AssetName[];

/** The document as it is in a bundle: compressed, with its entity tag. */
export async function buildAsset(asset: string, operations: readonly Registered[]): Promise<BuiltAsset> {
  if (!Object.hasOwn(made, asset)) {
    throw new Error(`There is no asset "${asset}".`);
  }
  const { text, version, headers } = await made[asset as AssetName](operations);
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(text, { params: brotli(text) }),
    promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return {
    etag: entityTag(text, version),
    br: br.toString('base64'),
    gzip: gzipped.toString('base64'),
    ...(headers && { headers }),
  };
}

/** The two higher qualities would save another 8 % of the page, but take seconds at every start of the local host. */
const brotli = (text: string) => ({
  [constants.BROTLI_PARAM_QUALITY]: 9,
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
});

/** The sorted methods of each path: `{"/api/contacts/{id}": ["DELETE", "GET", "PUT"]}`. */
function routesByPath(operations: readonly Registered[]): Record<string, string[]> {
  const methods: Record<string, string[]> = {};
  for (const { operation } of ofKind(operations, 'http')) {
    for (const key of routeKeys(operation)) {
      const [method = '', path] = key.split(' ');
      if (path !== undefined) {
        methods[path] = [...(methods[path] ?? []), method].sort();
      }
    }
  }
  return methods;
}
