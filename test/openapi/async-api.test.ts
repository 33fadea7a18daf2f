import { Parser } from '@asyncapi/parser';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AsyncApiDocument, asyncApiDocument } from '../../infra/openapi/async-api.ts';
import { openApiDocument } from '../../infra/openapi/document.ts';
import type { OpenApiDocument } from '../../infra/openapi/object-types.ts';
import { ofKind, operations, type Registered } from '../../infra/registry.ts';
import type { SocketOperation } from '../../shared/kernel/trigger.ts';
import { type Product, startProduct } from '../harness/product.ts';
import { valuesUnder } from './published.ts';

let product: Product;
let document: AsyncApiDocument;
let openApi: OpenApiDocument;
let sockets: Registered<SocketOperation>[];
beforeAll(async () => {
  const all = await operations();
  sockets = ofKind(all, 'socket');
  document = JSON.parse(JSON.stringify(asyncApiDocument(all)));
  openApi = JSON.parse(JSON.stringify(openApiDocument(all)));
  product = await startProduct();
  return () => product.stop();
});

describe('The AsyncAPI document', () => {
  test('is valid, says its own parser, which has nothing to remark either', async () => {
    const { body } = await product.call('read-asyncapi');
    const { document: parsed, diagnostics } = await new Parser().parse(body);
    // That there is a newer version of the format is no fault of the document: more tools read this one.
    const remarks = diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version');
    expect(remarks.map(({ message, path }) => `${path.join('.')}: ${message}`)).toEqual([]);
    expect(parsed?.version()).toBe('3.0.0');
  });

  test('names the address at which clients connect', async () => {
    const { body } = await product.call('read-asyncapi');
    expect(body.servers.live).toMatchObject({ protocol: 'wss', host: 'api.switchboard.test' });
    expect(body.channels.live.address).toBe('/live');
  });

  test('describes frames by the schemas of the OpenAPI document, and has no others', () => {
    const names = Object.keys(document.components.schemas);
    expect(names).toEqual(
      expect.arrayContaining(['ContactCreatedFrame', 'PongFrame', 'ErrorFrame', 'Contact']),
    );
    for (const name of names) {
      expect(document.components.schemas[name], name).toEqual(openApi.components.schemas[name]);
    }
    const needed = new Set(valuesUnder('$ref', document).map((reference) => String(reference)));
    expect(names.map((name) => `#/components/schemas/${name}`).filter((name) => !needed.has(name))).toEqual(
      [],
    );
  });

  test('has an operation for each frame that clients send, with all that may answer it', () => {
    const asked = Object.entries(document.operations).filter(([, { action }]) => action === 'receive');
    expect(asked.map(([name]) => name).sort()).toEqual(
      sockets
        .map(({ operation }) => operation.on)
        .filter((on) => !on.startsWith('$'))
        .sort(),
    );
    expect(document.operations.resume?.reply?.messages.map(({ $ref }) => $ref.split('/').at(-1))).toEqual([
      'resumed',
      'resync_required',
      'error',
    ]);
  });
});
