import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { readData } from '../../functions/workflows/model/nodes/node-data.ts';
import { nodeTypeOf, nodeTypes } from '../../functions/workflows/model/nodes/node-types.ts';
import { topics } from '../../functions/workflows/model/topics/topics.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/world.ts';

const product = await setUpProduct();
const { token } = await product.newOrganization();

interface CatalogueEntry {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly schema: Record<string, unknown> & {
    readonly properties?: Record<string, { description?: string }>;
  };
  readonly ways: readonly string[];
  readonly waysFrom?: string;
}

const { data: catalogue } = expectStatus(await product.call('list-workflow-node-types', { token }), 200);
const entries: readonly CatalogueEntry[] = catalogue.nodeTypes;
const entryOf = (type: string) => entries.find((one) => one.type === type);

test('the catalogue lists every type of node, sorted, with a description of it and of each field', () => {
  const types = entries.map(({ type }) => type);
  expect(types).toEqual(nodeTypes.map(({ type }) => type));
  expect(types).toEqual(types.toSorted());
  expect(new Set(types).size).toBe(types.length);
  for (const { type, title, description, schema } of entries) {
    expect(
      [title, description].every((text) => text !== ''),
      type,
    ).toBe(true);
    expect(schema.type, type).toBe('object');
    for (const [field, { description: about }] of Object.entries(schema.properties ?? {})) {
      expect(about, `${type}.${field}`).toMatch(/\S/);
    }
  }
});

test('the catalogue lists every event with its fields', () => {
  expect(catalogue.topics.map(({ topic }: { topic: string }) => topic)).toEqual([...topics]);
  for (const { fields } of catalogue.topics) {
    expect(fields).toContainEqual({ name: 'contactId', description: expect.any(String) });
  }
});

test('the catalogue names the ways out of each type', () => {
  expect(entryOf('condition')?.ways).toEqual(['true', 'false']);
  expect(entryOf('waitForEvent')?.ways).toEqual(['received', 'timeout']);
  expect(entryOf('addNote')?.ways).toEqual(['error']);
  expect(entryOf('stop')?.ways).toEqual([]);
  expect(entryOf('switch')).toMatchObject({ ways: [], waysFrom: 'cases' });
  expect(entryOf('split')).toMatchObject({ ways: [], waysFrom: 'weights' });
});

const rule = { field: 'contact.stage', operator: 'equals', value: 'Won' };
const day = { value: 1, unit: 'days' };

test.each<[string, unknown, boolean]>([
  ['trigger', { event: 'contact.created' }, true],
  ['trigger', { event: 'contact.created', filter: [rule], match: 'any', label: 'More' }, true],
  ['trigger', {}, false],
  ['trigger', { event: 'contact.won' }, false],
  ['condition', { rules: [rule, { field: 'event.x', operator: 'exists' }] }, true],
  ['condition', { rules: [{ ...rule, operator: 'is' }] }, false],
  ['condition', {}, false],
  ['switch', { field: 'contact.stage', cases: ['Won', 7, true] }, true],
  ['switch', { field: 'contact.stage', cases: [{}] }, false],
  ['split', { weights: { a: 1, b: 0.5 } }, true],
  ['split', { weights: { a: -1 } }, false],
  ['delay', day, true],
  ['delay', { ...day, value: 0 }, false],
  ['delay', { value: '1', unit: 'days' }, false],
  ['delay', { value: 1, unit: 'months' }, false],
  ['waitUntil', { at: '2026-12-24' }, true],
  ['waitUntil', { field: 'contact.createdAt', timeOfDay: '09:00', zone: 'Europe/Berlin' }, true],
  ['waitUntil', { businessHours: true }, true],
  ['waitUntil', { businessHours: false }, false],
  ['waitUntil', { timeOfDay: '9:00' }, false],
  ['waitUntil', {}, false],
  ['waitForEvent', { event: 'message.received', timeout: day }, true],
  ['waitForEvent', { event: 'message.received' }, false],
  ['stop', {}, true],
  ['stop', { anything: 1 }, true],
  ['httpRequest', { url: 'https://example.com', method: 'POST', headers: { a: 'b' }, body: [1] }, true],
  ['httpRequest', { url: 7 }, false],
  ['sendMessage', { content: 'Hi {{firstName|there}}', window: 'business_hours' }, true],
  ['sendMessage', { content: 7 }, false],
  ['sendMessage', {}, false],
  ['sendMessage', { content: 'Hi', template: 't' }, false],
  ['assign', { roundRobin: ['a', 'b'] }, true],
  ['assign', {}, false],
  ['createReminder', { note: 'Call' }, false],
  ['addNote', { note: 7 }, false],
  ['moveStage', { stage: 'Won' }, true],
  ['moveStage', {}, false],
])('JSON Schema and engine agree on %s %j: %j', (type, data, isValid) => {
  const ajv = new Ajv2020({ strictTypes: false, formats: { date: true, 'date-time': true } });
  const validate = ajv.compile(entryOf(type)?.schema as AnySchema);
  const { schema } = nodeTypeOf(type) as NonNullable<ReturnType<typeof nodeTypeOf>>;
  expect({ catalogue: validate(data), engine: readData(schema, data).success }).toEqual({
    catalogue: isValid,
    engine: isValid,
  });
});

test('a client may keep the catalogue, and nobody else', async () => {
  const { headers } = await product.call('list-workflow-node-types', { token });
  expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', etag: expect.any(String) });
});
