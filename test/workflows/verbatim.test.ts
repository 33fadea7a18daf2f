import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ApiResponse } from '../harness/call.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { newWorkflowsClient } from './client.ts';
import { bodyLimit, bodyOfSize, edgesText, incompressible, nodesText } from './graphs.ts';

const product = await setUpProduct();
const workflows = await newWorkflowsClient(product);

/** The answer has each of these members as text, byte for byte. A graph of 4 MB would be a poor error message. */
function expectMembers({ status, text }: ApiResponse, members: Record<string, string>): void {
  expect(status).toBeLessThan(300);
  const missing = Object.entries(members).filter(
    ([key, value]) => !text.includes(`${JSON.stringify(key)}:${value}`),
  );
  expect(missing.map(([key]) => key)).toEqual([]);
}

/** Sends members, and expects to get them back in every way there is. */
async function expectKept(members: Record<string, string>): Promise<void> {
  const own = await newWorkflowsClient(product);
  const body = Object.entries(members).map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  const created = await own.create(`{"name":"Verbatim",${body.join(',')}}`);
  expectMembers(created, members);
  const { _id } = created.body.data;
  expectMembers(await own.read(_id), members);
  expectMembers(await own.update(_id, '{"description":"Another","aside":[ 1.0 ]}'), members);
  expectMembers(await own.toggle(_id), members);
  expectMembers(await own.read(_id), { ...members, aside: '[ 1.0 ]' });
  expectMembers(await own.list(), members);
}

test('What was stored comes back unchanged whatever the number: as it was spelled, to the last digit', async () => {
  const numbers = '[1.0,1e2,1E+02,-0,-0.0,0.10,12345678901234567890,3.14159265358979323846,1e-400,5e-324]';
  await expectKept({
    nodes: `[{"id":"a","type":"t","position":{"x":1.0,"y":-0},"data":{"numbers":${numbers}}}]`,
    edges: `[{"id":"e","source":"a","target":"a","weight":1.50e1}]`,
    viewport: '{"x":-0.0,"y":1E2,"zoom":1.00}',
    numbers,
    big: '123456789012345678901234567890',
  });
});

test('What was stored comes back unchanged also of a body with a byte order mark in front, which other operations take too', async () => {
  const created = await workflows.create(`\ufeff{"name":"${randomUUID()}","number":1.0}`);
  expectMembers(created, { number: '1.0' });
  const updated = await workflows.update(created.body.data._id, '\ufeff{"number":2.0}');
  expectMembers(updated, { number: '2.0' });
});

test('What was stored comes back unchanged whatever the key: named like methods, empty, whole numbers in any order, escaped', async () => {
  const keys =
    '{"constructor":{"prototype":{"a":1}},"toString":1,"hasOwnProperty":null,"then":{},"":0,"10":1,"2":2,"b":3,"1":4,"a.b#$":5," ":6,"\\u0061\\/\\"":7,"😀":8,"valueOf":[],"__proto":9,"toJSON":10,"rawJSON":11}';
  await expectKept({
    nodes: `[{"id":"a","type":"t","position":{"x":0,"y":0},"constructor":{"prototype":0},"data":${keys}}]`,
    edges: `[{"toString":"x","target":"b","source":"a","id":"e"}]`,
    odd: keys,
    constructor: '{"prototype":{"x":1}}',
    hasOwnProperty: 'null',
    toJSON: '"no"',
    '10': 'true',
    '2': 'false',
    '': '""',
  });
});

test('What was stored comes back unchanged whatever the depth, up to the hundred levels of a body', async () => {
  const deep = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1.0${'}]'.repeat(levels / 2)}`;
  await expectKept({
    nodes: `[{"id":"a","type":"t","position":{"x":0,"y":0},"data":{"deep":${deep(96)}}}]`,
    deep: deep(98),
  });
  const tooDeep = await workflows.create(`{"name":"Deep","deep":${deep(100)}}`);
  expect(tooDeep.body.message).toBe('body must not be nested deeper than 100 levels');
  expect(tooDeep.status).toBe(400);
});

test('What was stored comes back unchanged whatever the text: quotes, backslashes, line ends, escapes, blanks between tokens', async () => {
  const text = '"\\\\\\" {[,:]} \\u00e9 é \\ud83d\\ude00 \\n\\t\\u0000 \\u2028  \\\\"';
  await expectKept({
    nodes: `[ {\n\t"id" : ${text} ,"type":"","position":{ "x" :0, "y":0 } } ]`,
    text,
    '"\\': text,
    literals: '[ true,false , null,\t{ } ]',
  });
});

test('What was stored comes back unchanged after its key was escaped on the way, and when it is sent as null', async () => {
  const { body } = await workflows.create('{"\\u006eame":"Escaped","e\\u0078tra":null, "enabled" : true }');
  expect(body.data).toMatchObject({ name: 'Escaped', extra: null, enabled: true });
});

test('What was stored comes back unchanged also of a node whose data is null', async () => {
  await expectKept({ nodes: '[{"id":"a","type":"stop","position":{"x":0,"y":0},"data":null}]' });
});

test.each([
  ['the key __proto__', '{"__proto__":{}}', 'body must not contain the key __proto__'],
  ['the key __proto__, escaped', '{"\\u005f_proto__":1}', 'body must not contain the key __proto__'],
  ['a number beyond 64 bits', '1e400', / must be a number that fits into 64 bits$/],
  ['a lone surrogate', '"\\ud800"', / must be well-formed Unicode, without lone surrogates$/],
  ['a key twice', '{"a":1,"b":{"a":2},"a":3}', 'body must not have the same key twice in one object'],
  ['a key twice, escaped', '[{"a":1,"\\u0061":2}]', 'body must not have the same key twice in one object'],
  [
    'what a key twice would hide',
    '{"a":{"__proto__":1},"a":2}',
    'body must not have the same key twice in one object',
  ],
])('%s is refused wherever it stands', async (_, value, message) => {
  const name = randomUUID();
  const { _id } = await workflows.created();
  const members = [
    `"nodes":[{"id":"a","type":"t","position":{"x":0,"y":0},"data":{"deep":[${value}]}}]`,
    `"extra":${value}`,
  ];
  for (const member of members) {
    for (const response of [
      await workflows.create(`{"name":"${name}",${member}}`),
      await workflows.update(_id, `{${member}}`),
    ]) {
      const text = typeof message === 'string' ? message : expect.stringMatching(message);
      expect(outcome(response)).toEqual(failure(400, text));
    }
  }
  expect((await workflows.create({ name })).status).toBe(201);
});

test('A key that comes twice at the top is refused', async () => {
  const { status, body } = await workflows.create('{"name":"A","nodes":[],"name":"B"}');
  expect({ status, message: body.message }).toEqual({
    status: 400,
    message: 'body must not have the same key twice in one object',
  });
});

const graph = {
  nodes: nodesText(10_000, (index) => `{"template":${incompressible(100)},"after":${index}.0}`),
  edges: edgesText(20_000, 10_000),
};

test('A graph of 10,000 nodes and 20,000 edges in a body of 4 MB comes back byte for byte, even after a change of something else, and in the list', async () => {
  const own = await newWorkflowsClient(product);
  const sent = bodyOfSize(bodyLimit, { name: '"Large"', ...graph });
  const created = await own.create(sent);
  expectMembers(created, graph);
  expect(created.status).toBe(201);
  const { _id, padding } = created.body.data;
  expect(Buffer.byteLength(sent)).toBe(bodyLimit);
  expect(sent).toContain(`"padding":"${padding}"`);
  expectMembers(await own.read(_id), graph);
  expectMembers(await own.update(_id, '{"description":"Else","viewport":{"x":1.0,"y":0,"zoom":2}}'), graph);
  expectMembers(await own.update(_id, '{"padding":0}'), { ...graph, padding: '0' });
  expectMembers(await own.toggle(_id, { enabled: true }), graph);
  expectMembers(await own.list({ enabled: 'true' }), { ...graph, padding: '0' });
});

test('A graph of 10,000 nodes and 20,000 edges in a body of 4 MB is refused with one byte more, before it is looked at', async () => {
  const sent = bodyOfSize(bodyLimit + 1, { name: '"Too large"', ...graph });
  expect(outcome(await workflows.create(sent))).toEqual(
    failure(413, 'The request body is larger than 4096 KB.'),
  );
  expect((await workflows.update((await workflows.created())._id, sent)).status).toBe(413);
});

test('A workflow that grows by updates has at most 4 MB as a whole', async () => {
  const { _id } = await workflows.created();
  const half = () => JSON.stringify('.'.repeat(2.2 * 1024 * 1024));
  expectStatus(await workflows.update(_id, `{"first":${half()}}`), 200);
  expect(outcome(await workflows.update(_id, `{"second":${half()}}`))).toEqual(
    failure(400, 'The workflow would be larger than 4 MB. Remove something from it.'),
  );
  expect(expectStatus(await workflows.read(_id), 200).data).not.toHaveProperty('second');
  expectStatus(await workflows.update(_id, `{"first":null,"second":${half()}}`), 200);
});
