import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../infra/openapi/document.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { Asset } from '../../shared/kernel/http/asset.ts';
import type { HttpResponse } from '../../shared/kernel/http/http-event.ts';
import { ask } from './ask.ts';

const { version } = packageJson;
const paths = ['/api/docs', '/api/openapi.json'];
const text = async (path: string) => (await ask('GET', path)).body;
const bytes = ({ body }: HttpResponse) => Buffer.from(body, 'base64');

test('GET /api/openapi.json returns the description as JSON, with nothing lost on the way', async () => {
  const { statusCode, headers, body } = await ask('GET', '/api/openapi.json');
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('application/json');
  const { servers: _, ...answered } = JSON.parse(body);
  const { servers: __, ...made } = JSON.parse(JSON.stringify(openApiDocument(await loadOperations())));
  expect(answered).toEqual(made);
});

test('GET /api/openapi.json names the address that it was asked at, under a tag for each', async () => {
  const at = async (host: string) => {
    const asked = { host, 'x-forwarded-proto': 'http', 'accept-encoding': 'br' };
    const response = await ask('GET', '/api/openapi.json', asked);
    const { servers } = JSON.parse(brotliDecompressSync(bytes(response)).toString());
    return { servers, etag: response.headers.etag };
  };
  const [one, other, again] = [
    await at('127.0.0.1:3000'),
    await at('localhost:3000'),
    await at('127.0.0.1:3000'),
  ];
  expect(one.servers).toEqual([{ url: 'http://127.0.0.1:3000', description: expect.any(String) }]);
  expect(other.servers).toEqual([{ url: 'http://localhost:3000', description: expect.any(String) }]);
  expect(other.etag).not.toBe(one.etag);
  expect(again).toEqual(one);
  expect((await at('a b')).servers).toEqual([{ url: '/', description: expect.any(String) }]);
});

const description = expect.any(String);
const named = async (headers: Record<string, string>) =>
  JSON.parse((await ask('GET', '/api/openapi.json', { 'x-forwarded-proto': 'https', ...headers })).body)
    .servers;

test.each([
  ['user:password@evil.example', 'https://evil.example'],
  ['evil.example/path?query#"}]', 'https://evil.example'],
  ['evil.example:8443', 'https://evil.example:8443'],
  ['', '/'],
  ['evil.example:port', '/'],
  ['"><script>', '/'],
])('A host that somebody made up comes back as an address or not at all: %s', async (host, url) => {
  expect(await named({ host })).toEqual([{ url, description }]);
});

test.each(['javascript', 'file', 'data:text/html,', 'about'])(
  'A host that somebody made up comes back by no other scheme: %s',
  async (scheme) => {
    expect(await named({ host: 'api.example', 'x-forwarded-proto': scheme })).toEqual([
      { url: '/', description },
    ]);
  },
);

test('A host that somebody made up is not taken from what a client says of a proxy', async () => {
  const headers = { host: 'api.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
  expect(await named(headers)).toEqual([{ url: 'https://api.example', description }]);
});

test('A host that somebody made up is shown to nobody else: no shared cache keeps the response, and no tag of it fits another host', async () => {
  const evil = await ask('GET', '/api/openapi.json', { host: 'evil.example' });
  expect(evil.headers['cache-control']).toBe('private, no-cache');
  const known = { host: 'api.example', 'if-none-match': evil.headers.etag ?? '' };
  const { statusCode, body } = await ask('GET', '/api/openapi.json', known);
  expect([statusCode, JSON.parse(body).servers]).toEqual([
    200,
    [{ url: 'https://api.example', description }],
  ]);
});

test('GET /api/docs returns a page', async () => {
  const { statusCode, headers, body } = await ask('GET', '/api/docs');
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(body).toMatch(/^<!doctype html>/);
});

for (const path of paths) {
  test(`GET ${path} may be kept by a client that asks each time whether it has changed`, async () => {
    const { headers } = await ask('GET', path);
    expect(headers.vary).toBe('accept-encoding');
    expect(headers['cache-control']).toMatch(/^(private, )?no-cache$/);
    expect(headers.etag).toMatch(/^W\/"[\w-]{22}"$/);
  });

  test.each([
    ['the tag', (tag: string) => tag],
    ['the tag as a proxy made it strong', (tag: string) => tag.replace('W/', '')],
    ['a list with the tag', (tag: string) => `"one, two", W/"three",${tag}`],
    ['any version', () => '*'],
  ])(`GET ${path} returns 304 without a body to a client that has %s`, async (_what, header) => {
    const { etag = '', 'cache-control': caching } = (await ask('GET', path)).headers;
    const response = await ask('GET', path, { 'if-none-match': header(etag), 'accept-encoding': 'br' });
    expect(response).toMatchObject({ statusCode: 304, body: '' });
    expect(response.headers).toMatchObject({ etag, 'cache-control': caching, vary: 'accept-encoding' });
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  test.each(['W/"another"', '"*"', '', 'nonsense', '"'])(
    `GET ${path} returns everything to a client that has %s`,
    async (tag) => {
      expect((await ask('GET', path, { 'if-none-match': tag })).statusCode).toBe(200);
    },
  );

  test.each([
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
    ['br', 'BR', brotliDecompressSync],
    ['gzip', 'gzip, deflate', gunzipSync],
    ['gzip', 'gzip;q=0.5, br;q=0', gunzipSync],
  ])(`GET ${path} comes as %s to a client that accepts %s`, async (coding, accepted, decompress) => {
    const response = await ask('GET', path, { 'accept-encoding': accepted });
    expect(response.headers['content-encoding']).toBe(coding);
    expect(response.isBase64Encoded).toBe(true);
    expect(decompress(bytes(response)).toString()).toBe(await text(path));
  });

  test.each(['identity', 'gzip;q=0, br;q=0.0', 'brotli'])(
    `GET ${path} comes as it is to a client that accepts %s`,
    async (accepted) => {
      const { headers, isBase64Encoded } = await ask('GET', path, { 'accept-encoding': accepted });
      expect(headers).not.toHaveProperty('content-encoding');
      expect(isBase64Encoded).toBeUndefined();
    },
  );
}

test('/api/docs takes at most 440 KB on its way to a browser', async () => {
  const { length } = bytes(await ask('GET', '/api/docs', { 'accept-encoding': 'gzip, br' }));
  expect(length).toBeLessThan(440_000);
});

test('/api/openapi.json takes at most 580 bytes for each operation, chapters and code samples included, on its way to a browser', async () => {
  const { length } = bytes(await ask('GET', '/api/openapi.json', { 'accept-encoding': 'gzip, br' }));
  const paths = Object.values(JSON.parse(await text('/api/openapi.json')).paths as object);
  const count = paths.reduce((sum: number, methods: object) => sum + Object.keys(methods).length, 0);
  expect(length).toBeLessThan(580 * count);
});

test('The client takes at most 12 KB on its way to a browser, and names the version of the product', async () => {
  const response = await ask('GET', '/api/client.js', { 'accept-encoding': 'gzip' });
  expect(bytes(response).length).toBeLessThanOrEqual(12 * 1024);
  expect(response.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(response.headers.etag).toMatch(new RegExp(`^W/"${version}-[\\w-]{22}"$`));
  const { etag = '' } = response.headers;
  expect((await ask('GET', '/api/client.js', { 'if-none-match': etag })).statusCode).toBe(304);
});

test('The types of the client name its version, and have every operation', async () => {
  const { headers, body } = await ask('GET', '/api/client.d.ts');
  expect(headers).toMatchObject({
    'content-type': 'text/typescript; charset=utf-8',
    etag: expect.stringContaining(`"${version}-`),
  });
  for (const { operation, name } of ofKind(await loadOperations(), 'http')) {
    const method = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    expect(body.includes(`\n${method}(`), name).toBe(operation.route.includes(' /api/'));
  }
});

for (const path of [
  '/',
  '/llms.txt',
  '/api/docs',
  '/api/docs.md',
  '/api/openapi.json',
  '/api/asyncapi.json',
  '/api/client.js',
  '/api/client.d.ts',
]) {
  test.each([{}, { 'accept-encoding': 'br' }, { 'if-none-match': '*' }])(
    `HEAD ${path} responds as GET does, without the body: %j`,
    async (headers) => {
      const { body: _, isBase64Encoded: __, ...expected } = await ask('GET', path, headers);
      expect(await ask('HEAD', path, headers)).toEqual({ ...expected, body: '' });
    },
  );
}

test('No other response is cached', async () => {
  for (const path of ['/api/health', '/api/nowhere', '/']) {
    expect((await ask('GET', path)).headers['cache-control']).toBe('no-store');
  }
});

const document = new Asset({ text: '{"url":"/"}' });
const at = (url: string) => document.variant(url, (text) => text.replace('/', url));

test('A document with something that depends on the request has a tag for each of its texts', () => {
  expect(at('https://a.example').text).toBe('{"url":"https://a.example"}');
  const tags = [document, at('https://a.example'), at('https://b.example')].map(({ etag }) => etag);
  expect(new Set(tags).size).toBe(3);
  expect(at('https://a.example').etag).toBe(tags[1]);
});

test('A document with something that depends on the request is changed once for each address, and compressed as it is', () => {
  expect(at('https://c.example')).toBe(at('https://c.example'));
  expect(gunzipSync(Buffer.from(at('https://c.example').coded('gzip'), 'base64')).toString()).toBe(
    '{"url":"https://c.example"}',
  );
  expect(brotliDecompressSync(Buffer.from(at('https://c.example').coded('br'), 'base64')).toString()).toBe(
    '{"url":"https://c.example"}',
  );
});

test('A document with something that depends on the request is right for every address, however many there are', () => {
  const addresses = Array.from({ length: 100 }, (_, index) => `https://${index}.example`);
  expect([...addresses, ...addresses].map((url) => at(url).text)).toEqual(
    [...addresses, ...addresses].map((url) => `{"url":"${url}"}`),
  );
});
