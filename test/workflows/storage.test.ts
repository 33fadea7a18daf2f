import { beforeEach, expect, test } from 'vitest';
import type { ApiResponse } from '../harness/call.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { newWorkflowsClient } from './client.ts';
import { bodyOfSize, incompressible, nodesText } from './graphs.ts';
import { type WatchedDocuments, watchedDocuments } from './watched-documents.ts';

const megabyte = 1024 * 1024;
let documents: WatchedDocuments;
let workflows: Awaited<ReturnType<typeof newWorkflowsClient>>;
const product = await setUpProduct();
beforeEach(async () => {
  documents = await watchedDocuments(product);
  workflows = await newWorkflowsClient(product);
});

/** A graph of so many bytes of noise, as the JSON of a body. */
const noise = (bytes: number, name?: string) => {
  const nodes = nodesText(1, () => `{"noise":${incompressible(bytes)}}`);
  return { nodes, body: `{${name === undefined ? '' : `"name":"${name}",`}"nodes":${nodes}}` };
};

const has = ({ text }: ApiResponse, nodes: string) => text.includes(`"nodes":${nodes}`);

test('A document that does not fit into a row of the table comes back from the object store, and the row stays small', async () => {
  const { nodes, body } = noise(600_000, 'Noise');
  const created = await workflows.create(body);
  const { _id } = expectStatus(created, 201).data;
  expect(documents.kept.size).toBe(1);
  expect(has(created, nodes)).toBe(true);
  expect(has(await workflows.read(_id), nodes)).toBe(true);
  expect(has(await workflows.list(), nodes)).toBe(true);
});

test('A document that does not fit into a row of the table and is lost hides no other workflow from the list', async () => {
  const { _id: lost } = expectStatus(await workflows.create(noise(600_000, 'Lost').body), 201).data;
  const kept = await workflows.created({ name: 'Kept' });
  const stored = await product.objects.of(workflows.admin.organizationId, 'documents');
  await Promise.all([...documents.kept].map((key) => stored.remove(key)));
  const { data } = expectStatus(await workflows.list(), 200);
  expect(data).toEqual([kept]);
  // It can be replaced, or deleted.
  expectStatus(await workflows.remove(lost), 200);
});

test('A document that does not fit into a row of the table is not stored anew when something else changes', async () => {
  const { nodes, body } = noise(600_000, 'Noise');
  const { _id } = expectStatus(await workflows.create(body), 201).data;
  expect(has(await workflows.update(_id, { name: 'Another', description: 'x' }), nodes)).toBe(true);
  expect(has(await workflows.toggle(_id), nodes)).toBe(true);
  expect(documents.count('put')).toBe(1);
  expect(has(await workflows.read(_id), nodes)).toBe(true);
});

test('A document that does not fit into a row of the table leaves nothing behind when it is replaced, becomes small, or goes', async () => {
  const { _id } = expectStatus(await workflows.create(noise(600_000, 'Noise').body), 201).data;
  const [first] = documents.kept;
  const other = noise(700_000);
  expect(has(await workflows.update(_id, other.body), other.nodes)).toBe(true);
  const [second] = documents.kept;
  expect(documents.kept.size).toBe(1);
  expect(second).not.toBe(first);

  expect((await workflows.update(_id, { nodes: [] })).body.data.nodes).toEqual([]);
  expect(documents.kept.size).toBe(0);
  expect((await workflows.read(_id)).body.data.nodes).toEqual([]);

  const again = noise(800_000);
  expect(has(await workflows.update(_id, again.body), again.nodes)).toBe(true);
  expect(has(await workflows.read(_id), again.nodes)).toBe(true);
  expect(documents.kept.size).toBe(1);
  expectStatus(await workflows.remove(_id), 200);
  expect(documents.kept.size).toBe(0);
});

test('A document that does not fit into a row of the table is stored separately for each workflow, even when two are the same', async () => {
  const { nodes } = noise(600_000);
  const [one, other] = await Promise.all(
    ['One', 'Other'].map(async (name) =>
      expectStatus(await workflows.create(`{"name":"${name}","nodes":${nodes}}`), 201),
    ),
  );
  expectStatus(await workflows.remove(one.data._id), 200);
  expect(has(await workflows.read(other.data._id), nodes)).toBe(true);
});

test('A document that does not fit into a row of the table is taken back when the name is taken', async () => {
  await workflows.created({ name: 'Taken' });
  expect((await workflows.create(noise(600_000, 'Taken').body)).status).toBe(400);
  const { _id } = await workflows.created();
  expect((await workflows.update(_id, noise(600_000, 'Taken').body)).status).toBe(400);
  expect(documents.count('put')).toBe(2);
  expect(documents.kept.size).toBe(0);
});

test('A document that does not fit into a row of the table returns to what it was without losing it to the removal of the one between', async () => {
  const { nodes, body } = noise(600_000, 'Noise');
  const { _id } = expectStatus(await workflows.create(body), 201).data;
  // While the first change still has to remove what it replaced, another one brings that back.
  documents.before('remove', () => workflows.update(_id, `{"nodes":${nodes}}`));
  expectStatus(await workflows.update(_id, noise(600_000).body), 200);
  expect(has(await workflows.read(_id), nodes)).toBe(true);
  expect(documents.kept.size).toBe(1);
});

test('A document that gzip makes small lies in the table, however long its text is', async () => {
  const { _id } = expectStatus(
    await workflows.create(bodyOfSize(3 * megabyte, { name: '"Long"' })),
    201,
  ).data;
  expect(documents.count('put')).toBe(0);
  expect((await workflows.read(_id)).body.data.padding.length).toBeGreaterThan(3_000_000);
});

test('A document that gzip makes small is not written by a toggle', async () => {
  const { _id } = expectStatus(await workflows.create(noise(300_000, 'Noise').body), 201).data;
  expect(documents.count('put')).toBe(0);
  expectStatus(await workflows.toggle(_id), 200);
  expect(documents.count('put')).toBe(0);
});

/** What Lambda passes on: the answer as a JSON string. */
const passedOn = ({ text }: ApiResponse) => Buffer.byteLength(JSON.stringify(text));

test.each<[string, (bytes: number) => string]>([
  ['text', (bytes) => JSON.stringify('.'.repeat(bytes))],
  [
    'quotes, which count twice',
    (bytes) =>
      `[${Array(Math.floor(bytes / 6))
        .fill('""')
        .join(',')}]`,
  ],
])('A list of large workflows ends its pages before they cannot be passed on: %s', async (_, fill) => {
  const created: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const response = await workflows.create(`{"name":"Large ${n}","fill":${fill(2.2 * megabyte)}}`, {
      at: new Date(Date.now() + n),
    });
    created.unshift(expectStatus(response, 201).data._id);
  }
  const listed: string[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const response = await workflows.list({ limit: '100', ...(cursor && { cursor }) });
    expect(passedOn(response)).toBeLessThan(6 * 1024 * 1024);
    expect(response.headers['content-encoding']).toBeUndefined();
    listed.push(...response.body.data.map(({ _id }: { _id: string }) => _id));
    cursor = response.body.nextCursor;
  }
  expect(listed).toEqual(created);
  expect(pages).toBe(3);
});

test('A list returns one workflow that cannot be passed on as it is gzipped', async () => {
  const quotes = `[${Array(1_300_000).fill('""').join(',')}]`;
  const { _id } = expectStatus(await workflows.create(`{"name":"Quotes","quotes":${quotes}}`), 201).data;
  for (const response of [await workflows.read(_id), await workflows.list()]) {
    expect(passedOn(response)).toBeGreaterThan(6 * megabyte);
    expect(response.headers['content-encoding']).toBe('gzip');
    expect(response.text).toContain(`"quotes":${quotes}`);
  }
});
