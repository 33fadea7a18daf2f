import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { nodeTypeNamed, nodeTypes } from '../../functions/workflows/model/definition/catalogue.ts';
import { readData } from '../../functions/workflows/model/definition/node-data.ts';
import { topics } from '../../functions/workflows/model/definition/topics.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';

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
const entryOf = (type: string) => entries.find((entry) => entry.type === type);

test('The catalogue lists every type of node, sorted, with a description of it and of each field', () => {
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

test('The catalogue lists every event with its fields', () => {
  expect(catalogue.topics.map(({ topic }: { topic: string }) => topic)).toEqual([...topics]);
  for (const { fields } of catalogue.topics) {
    expect(fields).toContainEqual({ name: 'contactId', description: expect.any(String) });
  }
});

test('The catalogue names the ways out of each type', () => {
  expect(entryOf('condition')?.ways).toEqual(['true', 'false']);
  expect(entryOf('waitForEvent')?.ways).toEqual(['received', 'timeout']);
  expect(entryOf('addNote')?.ways).toEqual(['error']);
  expect(entryOf('stop')?.ways).toEqual([]);
  expect(entryOf('switch')).toMatchObject({ ways: [], waysFrom: 'cases' });
  expect(entryOf('split')).toMatchObject({ ways: [], waysFrom: 'weights' });
});

const rule = { field: 'contact.stage', operator: 'equals', value: 'Won' };
const day = { value: 1, unit: 'days' };

const rows: [string, unknown, boolean][] = [
  ['trigger', { event: 'contact.created' }, true],
  ['trigger', { event: 'contact.created', filter: [rule], match: 'any', label: 'More' }, true],
  ['trigger', {}, false],
  ['trigger', { event: 'contact.won' }, false],
  ['condition', { rules: [rule, { field: 'event.x', operator: 'exists' }] }, true],
  ['condition', { rules: [{ ...rule, operator: 'is' }] }, false],
  ['condition', {}, false],
  ['switch', { field: 'contact.stage', cases: ['Won', 7, true] }, true],
  ['switch', { field: 'contact.stage', cases: [{}] }, false],
  ['switch', { field: 'contact.stage', cases: ['x'.repeat(200)] }, true],
  ['switch', { field: 'contact.stage', cases: ['x'.repeat(201)] }, false],
  ['split', { weights: { a: 1, b: 0.5 } }, true],
  ['split', { weights: { a: -1 } }, false],
  ['split', { weights: { ['x'.repeat(201)]: 1 } }, false],
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
  ['httpRequest', { url: 'http://{{contact.customFields.host}}/x', saveAs: 'score' }, true],
  ['httpRequest', { url: 7 }, false],
  ['httpRequest', {}, false],
  ['httpRequest', { url: 'https://example.com', method: 'GET' }, false],
  ['httpRequest', { url: 'ftp://example.com' }, false],
  ['httpRequest', { url: 'https://user:word@example.com' }, false],
  ['httpRequest', { url: 'https://example.com', headers: { host: 'a' } }, true],
  ['httpRequest', { url: 'https://example.com', headers: { 'Webhook-Id': '' } }, true],
  ['httpRequest', { url: 'https://example.com', headers: { 'a b': 'c' } }, false],
  ['httpRequest', { url: 'https://example.com', headers: { a: 7 } }, false],
  ['httpRequest', { url: 'https://example.com', saveAs: 'a.b' }, false],
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
  ['trigger', { event: 'contact.created', filter: null, match: null }, true],
  ['trigger', { event: null }, false],
  ['condition', { rules: [{ field: 'foo', operator: 'exists' }] }, false],
  ['condition', { rules: [{ field: 'contact. ', operator: 'exists' }] }, false],
  ['condition', { rules: [{ field: ' step.a.b ', operator: 'exists', value: null }], match: null }, true],
  ['condition', { rules: [{ field: 'step.a', operator: 'exists' }] }, false],
  ['condition', { rules: [{ ...rule, value: Array.from({ length: 101 }, () => 1) }] }, false],
  ['split', { weights: {} }, false],
  ['split', { weights: { a: 0 } }, false],
  ['split', { weights: { a: 0, b: 1 } }, true],
  ['split', { weights: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`w${n}`, 1])) }, false],
  ['delay', { ...day, value: 365 }, true],
  ['delay', { ...day, value: 366 }, false],
  ['delay', { value: 53, unit: 'weeks' }, false],
  ['waitUntil', { at: 'foo' }, false],
  ['waitUntil', { at: ' 2026-12-24 09:00+01:00 ' }, true],
  ['waitUntil', { at: '2026-12-24', field: 'contact.x' }, false],
  ['waitUntil', { at: '2026-12-24', field: null }, true],
  ['waitUntil', { at: null }, false],
  ['waitUntil', { at: '' }, false],
  ['waitUntil', { at: '', timeOfDay: '09:00' }, true],
  ['waitUntil', { at: '2026-12-24', timeOfDay: '' }, true],
  ['waitUntil', { at: '', field: 'contact.x' }, true],
  ['sendMessage', { content: ' \n' }, false],
  ['sendMessage', { content: 'x'.repeat(20_001) }, false],
  ['sendMessage', { content: 'Hi', template: null, window: null }, true],
  ['sendMessage', { content: null, template: null }, false],
  ['sendMessage', { content: 'Hi', template: '', from: '' }, true],
  ['sendMessage', { template: '' }, false],
  ['addNote', { note: '  ' }, false],
  ['addNote', { note: 'x', mentions: null }, true],
  ['addNote', { note: 'x', mentions: ['', 'a'] }, true],
  ['addNote', { note: 'x', mentions: ['  '] }, false],
  ['addTags', { tags: ['a'] }, true],
  ['addTags', { tags: [] }, false],
  ['removeTags', { tags: ['a'] }, true],
  ['removeTags', {}, false],
  ['assign', { userId: 'a', roundRobin: null }, true],
  ['assign', { userId: 'a', roundRobin: ['b'] }, false],
  ['assign', { userId: '', roundRobin: ['b'] }, true],
  ['assign', { userId: '' }, false],
  ['createApplication', { name: 'Loan', stage: null, pipelineId: null }, true],
  ['createApplication', { name: ' ' }, false],
  ['createReminder', { note: 'Call', in: day, remindAt: null }, true],
  ['createReminder', { note: 'Call', in: day, remindAt: '' }, true],
  ['createReminder', { note: 'Call', remindAt: '' }, false],
  ['createReminder', { note: 'Call', remindAt: 'soon' }, false],
  ['createReminder', { note: 'Call', remindAt: '{{event.at}}' }, true],
  ['createReminder', { note: 'Call', in: day, remindAt: '2030-01-01' }, false],
  ['moveApplication', { stage: 'Won' }, true],
  ['moveApplication', { stage: '  ' }, false],
  ['moveStage', { stage: '  ' }, false],
  ['notifyUser', { message: 'Look', userId: null }, true],
  ['notifyUser', { message: 'Look', userId: '' }, true],
  ['notifyUser', { message: 'Look', userId: ' ' }, false],
  ['notifyUser', { message: ' ' }, false],
  ['resolveConversation', { channel: null }, true],
  ['resolveConversation', { channel: 'fax' }, false],
  ['startWorkflow', { workflowId: 'w' }, true],
  ['startWorkflow', {}, false],
  ['stopOthers', { workflowIds: null }, true],
  ['stopOthers', { workflowIds: [7] }, false],
  ['updateContact', { set: { firstName: 'Ada', email: null } }, true],
  ['updateContact', { set: { email: '', owner: '', assignees: [''], phoneNumbers: [{ value: '' }] } }, true],
  ['updateContact', { set: {} }, false],
  ['updateContact', { set: { foo: 1 } }, false],
];

test('There is data of every type to compare', () => {
  const types = new Set(rows.map(([type]) => type));
  expect(entries.map(({ type }) => type).filter((type) => !types.has(type))).toEqual([]);
});

test.each(rows)('JSON Schema and engine agree on %s %j: %j', (type, data, isValid) => {
  const ajv = new Ajv2020({ strictTypes: false, formats: { date: true, 'date-time': true } });
  const validate = ajv.compile(entryOf(type)?.schema as AnySchema);
  const { schema } = nodeTypeNamed(type) as NonNullable<ReturnType<typeof nodeTypeNamed>>;
  expect({ catalogue: validate(data), engine: readData(schema, data).success }).toEqual({
    catalogue: isValid,
    engine: isValid,
  });
});

test('A client may keep the catalogue, and nobody else', async () => {
  const { headers } = await product.call('list-workflow-node-types', { token });
  expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', etag: expect.any(String) });
});
