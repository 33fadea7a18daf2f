import { build } from 'esbuild';
import packageJson from '../../package.json' with { type: 'json' };
import { openApiDocument } from '../openapi/document.ts';
import type { Registered } from '../registry.ts';
import { clientDeclarations } from './declarations.ts';
import { clientMethods } from './methods.ts';

const { version } = packageJson;

/** The client as one module for every runtime, with a method for each of these operations. */
export async function buildClient(operations: readonly Registered[]): Promise<string> {
  const methods = JSON.stringify(clientMethods(openApiDocument(operations)));
  const contents = `
    import { createClientWith } from './create-client.ts';
    export { ApiError } from './api-error.ts';
    export { keepInBrowser } from './session.ts';
    export { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';
    const methods = ${methods};
    export const version = '${version}';
    export const createClient = (options) => createClientWith(methods, options);`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: new URL('./runtime', import.meta.url).pathname, loader: 'js' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Its types. */
export function buildDeclarations(operations: readonly Registered[]): string {
  return clientDeclarations(openApiDocument(operations));
}
