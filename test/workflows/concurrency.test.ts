import { faker } from '@faker-js/faker';
import { expect, test } from 'vitest';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { newWorkflowsClient, type WorkflowRecord } from './client.ts';
import { incompressible } from './graphs.ts';
import { watchedDocuments } from './watched-documents.ts';

const product = await setUpProduct();

const times = <Result>(count: number, act: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)));

const taken = { success: false, message: 'Another workflow of this organization already has this name.' };

test('50 workflows of one name at once are one 201 and 49 × 400, in any spelling of the name', async () => {
  const workflows = await newWorkflowsClient(product);
  const spellings = ['Café', 'Cafe\u0301', ' Café', 'Café\n', '\u00a0Cafe\u0301 '];
  const responses = await times(50, (n) => workflows.create({ name: spellings[n % spellings.length], n }));
  const [winner, ...others] = responses.filter(({ status }) => status === 201);
  expect(others).toEqual([]);
  const losers = responses.filter((response) => response !== winner);
  expect(losers.map(({ status, body }) => ({ status, body }))).toEqual(
    Array(49).fill({ status: 400, body: taken }),
  );
  expect(await workflows.everything()).toEqual([winner?.body.data]);
  expect(await readEvents(product, workflows.admin.organizationId)).toHaveLength(1);
});

test.each([15, 16])('Flips at once count each: %d of them', async (count) => {
  const workflows = await newWorkflowsClient(product);
  const { _id } = await workflows.created();
  const responses = await times(count, () => workflows.toggle(_id));
  expect(responses.map(({ status }) => status)).toEqual(Array(count).fill(200));
  const enabled = responses.filter(({ body }) => body.data.enabled);
  expect(enabled).toHaveLength(Math.ceil(count / 2));
  expect((await workflows.read(_id)).body.data.enabled).toBe(count % 2 === 1);
  const events = await readEvents(product, workflows.admin.organizationId);
  expect(events.filter(({ data }) => data.change === 'toggled')).toHaveLength(count);
});

test('Changes of different properties at once are all there afterwards, beside flips', async () => {
  const workflows = await newWorkflowsClient(product);
  const { _id } = await workflows.created();
  const responses = await Promise.all([
    times(12, (n) => workflows.update(_id, { [`property-${n}`]: n })),
    times(4, () => workflows.toggle(_id)),
  ]);
  expect(responses.flat().map(({ status }) => status)).toEqual(Array(16).fill(200));
  const { data } = expectStatus(await workflows.read(_id), 200);
  expect(data).toMatchObject({
    enabled: false,
    ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`property-${n}`, n])),
  });
});

test('Creates, renames, edits and deletes of few names by eight writers leave unique names, whole workflows, free names free and no object that nobody needs', async () => {
  faker.seed(8);
  const documents = await watchedDocuments(product);
  const workflows = await newWorkflowsClient(product);
  const names = ['A', 'B', 'C', 'D', 'E'];
  const pick = faker.helpers.arrayElement;
  const large = incompressible(500_000);
  const graph = () => `"nodes":[],"fill":${pick(['1.0', '"small"', large])}`;
  const living = new Set<string>();

  const acts = [
    async () => {
      const { status, body } = await workflows.create(`{"name":"${pick(names)}",${graph()}}`);
      if (status === 201) {
        living.add(body.data._id);
      }
      return status;
    },
    async (id: string) => (await workflows.update(id, { name: pick(names) })).status,
    async (id: string) => (await workflows.update(id, `{${graph()}}`)).status,
    async (id: string) => (await workflows.toggle(id)).status,
    async (id: string) => (await workflows.read(id)).status,
    async () => (await workflows.list()).status,
    async (id: string) => {
      living.delete(id);
      return (await workflows.remove(id)).status;
    },
  ];
  const statuses: number[] = [];
  await times(8, async () => {
    for (let round = 0; round < 30; round += 1) {
      statuses.push(await pick(acts)(pick([...living, 'none'])));
    }
  });
  expect(statuses.filter((status) => ![200, 201, 400, 404].includes(status))).toEqual([]);
  expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(50);

  const left = await workflows.everything();
  const inUse = left.map(({ name }) => name);
  expect(new Set(inUse).size).toBe(inUse.length);
  const whole: WorkflowRecord[] = [];
  for (const { _id } of left) {
    whole.push(expectStatus(await workflows.read(_id), 200).data);
  }
  expect(whole).toEqual(left);
  expect(documents.kept.size).toBe(left.filter(({ fill }) => fill === JSON.parse(large)).length);
  for (const name of names) {
    expect((await workflows.create({ name })).status).toBe(inUse.includes(name) ? 400 : 201);
  }
  documents.restore();
});
