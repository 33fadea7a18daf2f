import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { bundle } from '../../infra/bundle/bundle.ts';
import { projectRoot } from '../../infra/project.ts';
import { loadOperations } from '../../infra/registry.ts';
import { upload } from '../local/object-store-fixture.ts';
import { type Access, accesses, objectsOfTest } from './bucket.ts';

/** What a function does with its port; all answer `{ given: … }`. */
const runs: Record<Access, string> = {
  downloads: `objects('acme').downloadUrl(query.key, { name: 'a.txt', type: 'text/plain', seconds: 60 })`,
  attachments: `objects.downloadUrl(query.key, { name: 'a.txt', type: 'text/plain', seconds: 60 })`,
  newAttachments: `objects.upload(objects.keyOf(query.key).replace('files/', 'org/'))
    .then((upload) => objects.copy(upload, query.key).then(() => upload.size))`,
  uploads: `objects.presignedPost(query.key, { type: 'text/plain', maxBytes: 10, seconds: 60 })`,
  importFiles: `objects.readUpload(query.key).then(textOf)`,
  storedDocuments: `objects.get(query.key).then(textOf)`,
  documents: `objects.put(query.key, Buffer.from('hello')).then(() => objects.get(query.key)).then(textOf)`,
  plans: `objects('acme').get(query.key).then(textOf)`,
  exports: `objects.put(query.key, gzipSync('"hello"')).then(() =>
    objects.downloadUrl(query.key, { name: 'a.json', type: 'application/json', seconds: 60 }))`,
  exportFiles: `objects('acme').put(query.key, gzipSync('"hello"'), 'application/json').then(() =>
    objects('acme').downloadUrl(query.key, { name: 'a.json', type: 'application/json', seconds: 60 }))`,
  erasure: `objects('acme').remove({ area: 'files', key: query.key }).then(() => 'removed')`,
};

const source = (access: Access) => `
  import { gzipSync } from 'node:zlib';
  const textOf = (bytes) => Buffer.from(bytes).toString();
  import * as z from '${projectRoot}/node_modules/zod/mini/index.js';
  import { operation } from '${projectRoot}/shared/kernel/operation.ts';
  export default operation({
    route: 'GET /api/use-${access.toLowerCase()}', summary: 'Use ${access}', family: 'plain', minimumRole: 'SALES_REP',
    uses: { table: 'read', objects: '${access}' },
    query: z.object({ key: z.string() }), output: z.object({ given: z.unknown() }),
    run: async ({ query }, { objects }) => ({ given: await ${runs[access]} }),
  });`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-bundles-'));
  await mkdir(join(folder, 'source/files'), { recursive: true });
  for (const access of accesses) {
    await writeFile(join(folder, `source/files/use-${access.toLowerCase()}.ts`), source(access));
  }
  await bundle(await loadOperations(join(folder, 'source')), folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

const fileOf = (access: Access) => join(folder, `use-${access.toLowerCase()}/index.mjs`);

/** Calls the bundled function as the gateway does. */
async function given(access: Access, key: string) {
  const { handler } = await import(pathToFileURL(fileOf(access)).href);
  const claims = { userId: 'user-1', organizationId: 'acme', role: 'ADMIN', expiresAt: 4_000_000_000 };
  const answer = await handler(
    {
      rawPath: `/api/use-${access.toLowerCase()}`,
      headers: {},
      queryStringParameters: { key },
      requestContext: {
        requestId: 'request-1',
        http: { method: 'GET', path: `/api/use-${access.toLowerCase()}`, sourceIp: '192.0.2.1' },
        authorizer: { lambda: claims },
      },
    },
    {},
  );
  expect(answer.statusCode).toBe(200);
  return JSON.parse(answer.body).given;
}

test('Bundled functions sign, store and read as the product does, without what bundles leave out', async () => {
  const nowhere = 'http://127.0.0.1:9';
  const environment = { TABLE_NAME: 'none', AWS_ENDPOINT_URL_DYNAMODB: nowhere };
  for (const [name, value] of Object.entries({ ...environment, ...(await objectsOfTest().environment()) })) {
    vi.stubEnv(name, value);
  }
  expect((await upload(await given('uploads', 'user-1/a.txt'), 'hello')).status).toBe(204);
  expect(await given('newAttachments', 'user-1/a.txt')).toBe(5);
  expect(await given('importFiles', 'org/acme/user-1/a.txt')).toBe('hello');
  expect(await (await fetch(await given('downloads', 'user-1/a.txt'))).text()).toBe('hello');
  const link = await given('attachments', 'user-1/a.txt');
  expect(await (await fetch(link)).text()).toBe('hello');
  expect(await given('erasure', 'user-1/a.txt')).toBe('removed');
  expect((await fetch(link)).status).toBe(404);
  expect(await given('documents', 'document-1')).toBe('hello');
  expect(await given('storedDocuments', 'document-1')).toBe('hello');
  expect(await given('plans', 'document-1')).toBe('hello');
  expect(await (await fetch(await given('exports', 'export-1'))).json()).toBe('hello');
  expect(await (await fetch(await given('exportFiles', 'export-2'))).json()).toBe('hello');
});
