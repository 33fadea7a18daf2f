import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { cutOutput, mostBytes } from '../../functions/agents/model/cut-output.ts';
import { requireOwnOrigin } from '../../functions/agents/model/own-origin.ts';
import { toolRequest } from '../../functions/agents/model/tool-request.ts';
import { agentTools } from '../../infra/openapi/agent-tools.ts';
import { loadOperations } from '../../infra/registry.ts';
import type { Json } from '../harness/json.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import { connectAgent } from './agent.ts';

const host = await setUpLiveHost();
const admin = await host.newOrganization();
const { key } = await host.call('POST /api/api-keys', admin, { name: 'Agent', access: 'write' });
const all = agentTools(await loadOperations());

const textIn = ([first]: CallToolResult['content']) => (first?.type === 'text' ? first.text : '');

const toolNamed = (name: string) => {
  const tool = all.find((known) => known.name === name);
  if (tool === undefined) {
    throw new Error(`There is no tool ${name}`);
  }
  return tool;
};

test('A list that is too large is cut at a record, and says how to get the rest', async () => {
  const { data: contact } = await host.call('POST /api/contacts/create', admin, { firstName: 'Ada' });
  const contactId = contact._id;
  for (let at = 0; at < 20; at += 1) {
    await host.call('POST /api/contact-notes', admin, { contactId, note: `${at} ${'x'.repeat(5_000)}` });
  }
  const { use, output } = await connectAgent(host.url, key);
  const { content, structuredContent } = await use('list_notes', { contactId, limit: 100 });
  const text = textIn(content);
  const cut = structuredContent as Json;
  expect(JSON.parse(text)).toEqual(cut);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(mostBytes);
  const shown = cut.data.length;
  expect(shown).toBeGreaterThan(8);
  expect(cut).not.toHaveProperty('nextCursor');
  expect(cut.cut).toBe(
    `A result has at most 64 KB: this one has at most the first ${shown} records of each list. Use list_notes again with limit ${shown}: its nextCursor is the cursor of the next records.`,
  );

  const notes: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Json = await output('list_notes', { contactId, limit: shown, cursor });
    expect(page).not.toHaveProperty('cut');
    notes.push(...page.data.map(({ _id }: Json) => _id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(notes.slice(0, shown)).toEqual(cut.data.map(({ _id }: Json) => _id));
  expect(new Set(notes).size).toBe(20);
});

test('An output is cut evenly over its lists, never within a record', () => {
  const record = (at: number) => ({ at, list: [1, 2, 3], text: 'ü'.repeat(1_000) });
  const column = (count: number) => ({
    total: count,
    contacts: Array.from({ length: count }, (_, at) => record(at)),
  });
  const output = { data: { New: column(30), Won: column(5), Lost: column(30) }, stageIdByName: { New: '1' } };
  const cut = cutOutput(output, (shown) => `The rest by ${shown}.`) as Json;
  const lengths = Object.values(cut.data).map((one) => (one as Json).contacts.length);
  expect(lengths).toEqual([lengths[0], 5, lengths[0]]);
  expect(cut.data.New).toEqual({ total: 30, contacts: output.data.New.contacts.slice(0, lengths[0]) });
  expect(cut.stageIdByName).toEqual({ New: '1' });
  expect(cut.cut).toMatch(new RegExp(`The rest by ${lengths[0]}\\.$`));
  expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(mostBytes);
});

test('An output of one record that is too large is not shown in parts', () => {
  const cut = cutOutput({ data: { text: 'x'.repeat(mostBytes) } }, () => 'Send GET /api/records/1.');
  expect(cut).toEqual({
    cut: 'A result has at most 64 KB: this one has no records. Send GET /api/records/1.',
  });
});

test('A tool that is refused gives the error of its operation, and one that lacks an argument says which', async () => {
  const { use, client } = await connectAgent(host.url, key);
  expect(await use('create_contact', { firstName: 5 })).toMatchObject({
    isError: true,
    structuredContent: { error: 'Invalid request', message: expect.stringContaining('firstName') },
  });
  expect(await use('list_notes', { contactId: 'x', colour: 'red' })).toMatchObject({
    isError: true,
    structuredContent: { message: expect.stringContaining('colour is not a query parameter') },
  });
  expect(await use('read_contact')).toMatchObject({
    isError: true,
    structuredContent: { success: false, message: expect.stringMatching(/^id is required/) },
  });
  await expect(client.callTool({ name: 'sell_everything', arguments: {} })).rejects.toThrow(
    'There is no such tool. tools/list has all.',
  );
});

test('Numbers keep their digits on their way through a tool', async () => {
  const { use } = await connectAgent(host.url, key);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_contact","arguments":{"firstName":"Sofja","customFields":{"account":120210000000000123}}}}`;
  const response = await fetch(`${host.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, accept: 'application/json, text/event-stream' },
    body: text,
  });
  const answer = await response.text();
  expect(answer).toContain('"account":120210000000000123');
  const id = /"_id\\?":\\?"(\w+)/.exec(answer)?.[1];
  const { content } = await use('read_contact', { id });
  expect(textIn(content)).toContain('"account":120210000000000123');
});

const sentFrom = { origin: 'https://api.example', headers: { authorization: 'Bearer sbk_1', cookie: 'no' } };

test('Arguments of a tool become the path, the query and the body of its operation', async () => {
  const request = toolRequest(
    toolNamed('move_contact'),
    { id: 'a/b?c', stage: 'Won', owner: null },
    sentFrom,
  );
  expect(request).toBeInstanceOf(Request);
  const { url, method, headers } = request as Request;
  expect([method, url]).toEqual(['PUT', 'https://api.example/api/contacts/a%2Fb%3Fc/stage']);
  expect(await (request as Request).json()).toEqual({ stage: 'Won', owner: null });
  expect([...headers.keys()]).toEqual(['authorization', 'content-type']);
  const reading = toolRequest(
    toolNamed('list_timeline'),
    { id: '1', types: ['note', 'call'], cursor: null },
    sentFrom,
  );
  expect((reading as Request).url).toBe('https://api.example/api/contacts/1/timeline?types=note%2Ccall');
});

test.each([undefined, null, '', '.', '..'])('No argument leads to another address: %j', (id) => {
  expect(toolRequest(toolNamed('move_contact'), { id }, sentFrom)).toEqual({ missing: 'id' });
});

test('A page may only use a service of its own origin, unless both are on this machine', () => {
  const allowed = (url: string, origin?: string) => {
    try {
      return requireOwnOrigin(url, origin);
    } catch {
      return undefined;
    }
  };
  expect(allowed('https://api.example/mcp')).toBe('https://api.example');
  expect(allowed('https://api.example/mcp', 'https://api.example')).toBe('https://api.example');
  expect(allowed('https://api.example/mcp', 'http://api.example')).toBeUndefined();
  expect(allowed('https://api.example/mcp', 'http://localhost:3000')).toBeUndefined();
  expect(allowed('http://127.0.0.1:3000/mcp', 'http://localhost:5173')).toBe('http://127.0.0.1:3000');
  expect(allowed('http://127.0.0.1:3000/mcp', 'http://128.0.0.1')).toBeUndefined();
  expect(allowed('http://a b/mcp')).toBeUndefined();
});
