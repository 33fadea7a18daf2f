import { expect, test } from 'vitest';
import { takesAnyQuery } from '../../shared/kernel/http/query.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { caseSender, type OperationCase, operationsWithCases } from './operations.ts';

const all = await operationsWithCases();
const strict = all.filter(({ operation }) => !takesAnyQuery(operation.query));
const open = all.filter(({ operation }) => takesAnyQuery(operation.query));
const tenants = await setUpTenants();
const { product, rep } = tenants;

/** A request that would succeed, but for these query parameters beside its own. */
async function call(
  { name, accessCase }: OperationCase,
  further: Record<string, string>,
): Promise<ApiResponse> {
  const request = await accessCase.request(tenants, rep);
  return product.call(name, {
    ...caseSender(tenants, accessCase),
    ...request,
    query: { ...request.query, ...further },
  });
}

test('Nearly all operations know their query parameters; webhooks, log-out and token checks, unknown routes, pages and documents take any', () => {
  expect(open.map(({ name }) => name).sort()).toEqual([
    'answer-unknown-route',
    'logout',
    'read-asyncapi',
    'read-client',
    'read-client-types',
    'read-documentation',
    'read-documentation-index',
    'read-documentation-text',
    'read-openapi',
    'receive-call',
    'receive-lead',
    'receive-sms',
    'receive-status',
    'redirect-root',
    'verify-token',
  ]);
});

for (const one of strict) {
  const known = Object.keys(one.operation.query?.shape ?? {});

  test(`${one.name} refuses a query parameter that it does not know, names it and those it knows, and does nothing`, async () => {
    const { status, text, consumed } = await call(one, { limt: 'confidential' });
    expect(status, text).toBe(400);
    expect(text).toContain('limt is not a query parameter of this operation.');
    expect(text).not.toContain('confidential');
    for (const name of known) {
      expect(text).toContain(name);
    }
    expect(text.includes('It takes none.')).toBe(known.length === 0);
    expect(consumed?.writeUnits ?? 0).toBe(0);
  });
}

test.each(open)('$name takes query parameters that it does not know', async (one) => {
  const { status } = await call(one, { bodySHA256: 'abc', region: 'eu' });
  expect(status).toBe(one.accessCase.status ?? one.operation.status ?? 200);
});

const list = (query: Record<string, string>) => product.call('list-calls', { token: rep.token, query });

test('A query parameter that is not known is named beside others, and before a known one is looked at', async () => {
  expect((await list({ page: '2', sort: 'asc', limit: 'none' })).body.error).toBe(
    'page and sort are not query parameters of this operation. It takes contactId, userId, status, limit and cursor.',
  );
});

test.each(['', 'x'.repeat(61), 'Call 555-0100 to unlock', '<b>', 'ä'])(
  'A query parameter that is not known is refused without its name when that is not a plain word: %j',
  async (name) => {
    const known = 'It takes contactId, userId, status, limit and cursor.';
    expect((await list({ [name]: '1' })).body.error).toBe(
      `The request has an unknown query parameter. ${known}`,
    );
    expect((await list({ [name]: '1', 'filter[a-b].c': '2' })).body.error).toBe(
      `filter[a-b].c is not a query parameter of this operation. ${known}`,
    );
  },
);

test('A query parameter that is not known is named when it has up to 60 characters', async () => {
  const name = 'x'.repeat(60);
  expect((await list({ [name]: '' })).body.error).toContain(`${name} is not a query parameter`);
});

test.each(['__proto__', 'constructor', 'toString'])(
  'A query parameter that is not known is refused when it is called %s, like any other',
  async (name) => {
    const query = JSON.parse(`{${JSON.stringify(name)}: "1"}`) as Record<string, string>;
    expect((await list(query)).body.error).toContain(`${name} is not a query parameter`);
  },
);

test('A query parameter that is not known does not show who has no right to the operation what it takes', async () => {
  const { status } = await product.call('create-department', {
    token: rep.token,
    query: { limt: '1' },
    body: { name: 'North' },
  });
  expect(status).toBe(403);
});
