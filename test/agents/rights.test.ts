import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { groups } from '../../functions/api-keys/model/groups.ts';
import { agentTools } from '../../infra/openapi/agent-tools.ts';
import { loadOperations } from '../../infra/registry.ts';
import type { Json } from '../harness/json.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import { connectAgent } from './agent.ts';

const host = await setUpLiveHost();
const [admin, stranger] = await Promise.all([host.newOrganization(), host.newOrganization()]);
const all = agentTools(await loadOperations());

const keyWith = async (fields: object, by = admin): Promise<string> =>
  (await host.call('POST /api/api-keys', by, { name: 'Agent', access: 'write', ...fields })).key;
const write = await keyWith({});

const namesFor = async (key: string) =>
  (await (await connectAgent(host.url, key)).tools()).map(({ name }) => name);

const errorOf = async (key: string, tool: string, given = {}) => {
  const { isError, structuredContent } = await (await connectAgent(host.url, key)).use(tool, given);
  return { isError, error: structuredContent };
};

test('An agent gets all tools in the same order each time, each with what to know before its use', async () => {
  const { tools, client } = await connectAgent(host.url, write);
  const listed = await tools();
  expect(listed.map(({ name }) => name)).toEqual(all.map(({ name }) => name));
  expect(await tools()).toEqual(listed);
  expect(client.getInstructions()).toContain('find_contacts');
  for (const { name, title, description = '', inputSchema, annotations } of listed) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(description, name).toMatch(new RegExp(`^${title}\\. [A-Z].*\\.$`));
    expect(inputSchema.type, name).toBe('object');
    expect(annotations, name).toEqual({
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
    });
  }
});

test('A tool says whether it only reads, and whether it replaces anything', () => {
  const named = (hint: 'readOnlyHint' | 'destructiveHint') =>
    all.filter(({ annotations }) => annotations[hint]).map(({ name }) => name);
  expect(named('readOnlyHint')).toEqual(
    expect.arrayContaining(['find_contacts', 'list_timeline', 'read_contact', 'simulate_workflow']),
  );
  expect(named('destructiveHint')).toEqual([
    'move_application',
    'move_contact',
    'update_contact',
    'delete_reminder',
  ]);
  expect(named('readOnlyHint').filter((name) => /^(create|move|update|delete|send|run)_/.test(name))).toEqual(
    [],
  );
});

test('A key that may only read has the tools that read, and the others refuse it with their own error', async () => {
  const key = await keyWith({ access: 'read' });
  const reading = all.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name);
  expect(await namesFor(key)).toEqual(reading);
  expect(await errorOf(key, 'create_contact', { firstName: 'Ada' })).toEqual({
    isError: true,
    error: { error: 'Forbidden', message: 'This API key may only read.' },
  });
  const { output } = await connectAgent(host.url, key);
  expect((await output('find_contacts')).stageIdByName).toBeDefined();
});

test('A key with groups has the tools of these groups, and the one that says who it is', async () => {
  const key = await keyWith({ groups: ['Reminders', 'Calls'] });
  expect(await namesFor(key)).toEqual([
    'read_me',
    'list_calls',
    'read_call',
    'create_reminder',
    'delete_reminder',
    'list_reminders',
  ]);
  const { error } = await errorOf(key, 'find_contacts');
  expect(error).toMatchObject({ message: 'This API key may not use the group Contacts.' });
});

test('Every tool belongs to a group that a key can have, or is for all keys', () => {
  const others = all.filter(({ operation: { tag } }) => !(groups as readonly unknown[]).includes(tag));
  expect(others.map(({ name }) => name)).toEqual(['read_me']);
});

test('An agent of another organization gets what a missing record gets', async () => {
  const { data } = await host.call('POST /api/contacts/create', admin, { firstName: randomUUID() });
  const foreign = await keyWith({}, stranger);
  const missing = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
  for (const [tool, given] of [
    ['read_contact', {}],
    ['list_timeline', {}],
    ['move_contact', { stage: 'Contacted' }],
    ['update_contact', { addTags: ['taken'] }],
  ] as const) {
    const found = await errorOf(foreign, tool, { id: data._id, ...given });
    expect(found).toEqual(await errorOf(foreign, tool, { id: missing, ...given }));
    expect(found.isError).toBe(true);
  }
  const { output } = await connectAgent(host.url, foreign);
  const board = await output('find_contacts', { search: data.firstName, ownerFilter: 'all' });
  expect(Object.values(board.data).every((column) => (column as Json).total === 0)).toBe(true);
});

test('A deleted key stops its agent at once', async () => {
  const key = await keyWith({});
  const { use } = await connectAgent(host.url, key);
  const { data } = await host.call('GET /api/me', { ...admin, token: key });
  await host.call(`DELETE /api/api-keys/${data.key._id}`, admin);
  await expect(use('read_me')).rejects.toThrow('Invalid or expired token');
});
