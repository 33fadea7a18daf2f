import { beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../infra/openapi/document.ts';
import { ofKind, operations, type Registered } from '../../infra/registry.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { systemRuntime } from '../../shared/kernel/runtime.ts';
import { serveHttp } from '../../shared/kernel/serve-http.ts';
import { provideAsset } from '../../shared/ports/asset.ts';

let https: Registered<Operation>[];
let description: string;

beforeAll(async () => {
  const all = await operations();
  https = ofKind(all, 'http');
  description = JSON.stringify(openApiDocument(all));
});

async function get(path: string, asset = '') {
  const found =
    https.find(({ operation }) => operation.route === `GET ${path}`) ??
    https.find(({ operation }) => operation.route === '$default');
  if (found === undefined) {
    throw new Error('No operation takes unknown routes.');
  }
  const serve = serveHttp(
    found.name,
    found.operation,
    { asset: provideAsset(asset) },
    { ...systemRuntime, log: () => {} },
  );
  return serve(
    {
      rawPath: path,
      headers: { host: '127.0.0.1:3000', 'x-forwarded-proto': 'http' },
      requestContext: { requestId: 'request-1', http: { method: 'GET', path, sourceIp: '192.0.2.1' } },
    },
    {},
  );
}

describe('the service itself', () => {
  test('says that it is up', async () => {
    const { statusCode, body } = await get('/api/health');
    expect([statusCode, body]).toEqual([200, '{"status":"ok"}']);
  });

  test('answers its description as JSON, with nothing lost on the way', async () => {
    const { statusCode, headers, body } = await get('/api/openapi.json', description);
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    const { servers: _, ...answered } = JSON.parse(body);
    const { servers: __, ...made } = JSON.parse(description);
    expect(answered).toEqual(made);
  });

  test('names in its description the address that it was asked at', async () => {
    const { body } = await get('/api/openapi.json', description);
    const { servers } = JSON.parse(body);
    expect(servers).toEqual([{ url: 'http://127.0.0.1:3000', description: expect.any(String) }]);
  });

  test('answers the documentation as a page', async () => {
    const { statusCode, headers, body } = await get('/api/docs', '<!doctype html>');
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body).toBe('<!doctype html>');
  });

  test('answers an unknown route with 404 and the way to the known ones', async () => {
    const { statusCode, headers, body } = await get('/api/nowhere');
    expect(statusCode).toBe(404);
    expect(headers['x-request-id']).toBe('request-1');
    expect(JSON.parse(body)).toEqual({ success: false, message: expect.stringContaining('/api/docs') });
  });
});
