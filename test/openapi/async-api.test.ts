import { Parser } from '@asyncapi/parser';
import { expect, test } from 'vitest';
import { type AsyncApiDocument, asyncApiDocument } from '../../infra/openapi/async-api.ts';
import { openApiDocument } from '../../infra/openapi/document.ts';
import type { OpenApiDocument } from '../../infra/openapi/object-types.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { valuesUnder } from './published.ts';

const all = await loadOperations();
const sockets = ofKind(all, 'socket');
const document: AsyncApiDocument = JSON.parse(JSON.stringify(asyncApiDocument(all)));
const openApi: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument(all)));
const product = await setUpProduct();

test('The AsyncAPI document is valid, says its own parser, which has nothing to remark either', async () => {
  const { body } = await product.call('read-asyncapi');
  const { document: parsed, diagnostics } = await new Parser().parse(body);
  // That there is a newer version of the format is no fault of the document: more tools read this one.
  const remarks = diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version');
  expect(remarks.map(({ message, path }) => `${path.join('.')}: ${message}`)).toEqual([]);
  expect(parsed?.version()).toBe('3.0.0');
});

test('The AsyncAPI document names the address at which clients connect', async () => {
  const { body } = await product.call('read-asyncapi');
  expect(body.servers.live).toMatchObject({ protocol: 'wss', host: 'api.switchboard.test' });
  expect(body.channels.live.address).toBe('/live');
});

test('The AsyncAPI document describes frames by the schemas of the OpenAPI document, and has no others', () => {
  const names = Object.keys(document.components.schemas);
  expect(names).toEqual(
    expect.arrayContaining(['ContactCreatedFrame', 'PongFrame', 'ErrorFrame', 'Contact']),
  );
  for (const name of names) {
    expect(document.components.schemas[name], name).toEqual(openApi.components.schemas[name]);
  }
  const needed = new Set(valuesUnder('$ref', document).map((reference) => String(reference)));
  expect(names.map((name) => `#/components/schemas/${name}`).filter((name) => !needed.has(name))).toEqual([]);
});

test('The AsyncAPI document has an operation for each frame that clients send, with all possible replies', () => {
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
