import { expect, test } from 'vitest';
import { setUpLiveHost } from '../live/fixtures.ts';

const host = await setUpLiveHost();
const admin = await host.newOrganization();
const { key } = await host.call('POST /api/api-keys', admin, { name: 'Agent', access: 'write' });

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

async function send({
  token = key,
  method = 'POST',
  headers = {},
  body = list,
}: {
  token?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
} = {}) {
  const response = await fetch(`${host.url}/mcp`, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...headers,
    },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  });
  return { status: response.status, allow: response.headers.get('allow'), text: await response.text() };
}

test.each(['GET', 'DELETE', 'PUT', 'PATCH'])('/mcp takes no %s', async (method) => {
  expect(await send({ method })).toMatchObject({ status: 405, allow: 'POST' });
});

test('/mcp takes messages of programs, which send no Origin, and of pages of its own origin', async () => {
  const { port, origin } = new URL(host.url);
  expect((await send()).status).toBe(200);
  expect((await send({ headers: { origin } })).status).toBe(200);
  // The service is on this machine.
  expect((await send({ headers: { origin: `http://localhost:${port}` } })).status).toBe(200);
  expect((await send({ headers: { origin: 'http://[::1]:5173' } })).status).toBe(200);
});

test.each([
  'https://evil.example',
  'http://127.0.0.1.evil.example',
  'http://localhost.evil.example',
  'null',
  '',
])('/mcp takes no message of a page of another origin: %s', async (origin) => {
  const { status, text } = await send({ headers: { origin } });
  expect(status).toBe(403);
  expect(JSON.parse(text).message).toMatch(/^Pages of another origin may not use this address\./);
});

test('/mcp tells a user that it takes an API key, and nobody else anything', async () => {
  const { status, text } = await send({ token: admin.token });
  expect([status, JSON.parse(text)]).toEqual([
    403,
    {
      success: false,
      message:
        'This takes an API key in place of the token of a user. An ADMIN creates one with POST /api/api-keys.',
    },
  ]);
  expect((await send({ token: 'sbk_nothing' })).status).toBe(401);
});

test.each([
  ['another media type', { headers: { 'content-type': 'text/plain' } }, 415],
  ['many messages at once', { body: [list, list] }, 400],
  ['what is no message', { body: { method: 'tools/list' } }, 400],
  ['a revision that there is not', { headers: { 'mcp-protocol-version': '1999-01-01' } }, 400],
])('/mcp refuses %s', async (_what, request, status) => {
  expect((await send(request)).status).toBe(status);
});

test('/mcp keeps no stream open', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = {
    ...{ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' },
    params: { notifications: { toolsListChanged: true }, _meta: meta },
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
  expect((await send({ body, headers })).text).toContain('Subscription limit reached');
});
