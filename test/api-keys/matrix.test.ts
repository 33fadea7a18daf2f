import { expect, test } from 'vitest';
import { groups } from '../../functions/api-keys/model/groups.ts';
import { isPublished } from '../../infra/openapi/document.ts';
import { operationTag, publishedTags } from '../../infra/openapi/tags.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { type OperationCase, operationsWithCases } from '../access/operations.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { newApiKey } from './keys.ts';

const published = ofKind(await loadOperations(), 'http').filter(isPublished);
const tags = publishedTags(published);
const groupOf = new Map(published.map((entry) => [entry.name, operationTag(entry, tags).name]));
const guarded = (await operationsWithCases()).filter(({ operation }) => operation.minimumRole !== 'anyone');

const tenants = await setUpTenants();
const { product, admin, superadmin } = tenants;

/** Source: integrations 2, "Never by key". */
const closed = guarded.filter(
  ({ name, operation: { route } }) =>
    /^\w+ \/api\/auth\//.test(route) ||
    /^\w+ \/api\/(api-keys|users)(\/|$)/.test(route) ||
    [
      'approve-phone-number',
      'assign-phone-number',
      'create-outreach-configuration',
      'create-webhook-endpoint',
      'rotate-webhook-secret',
      'update-outreach-configuration',
      'update-phone-number',
      'update-registration-mode',
      'update-session-settings',
    ].includes(name),
);
const open = guarded.filter((one) => !closed.includes(one) && one.operation.minimumRole !== 'SUPERADMIN');

/** The operations without GET that change nothing. Source: integrations 2, "the reading POSTs". */
const readingPosts = open
  .filter(({ operation: { route } }) => !route.startsWith('GET '))
  .map(({ name }) => name)
  .filter((name) =>
    [
      'create-socket-token',
      'list-applications-by-stage',
      'list-contacts-by-stage',
      'preview-missed-call',
      'simulate-workflow',
      'use-tools',
    ].includes(name),
  );

const isReading = ({ name, operation: { route } }: OperationCase) =>
  route.startsWith('GET ') || readingPosts.includes(name);

const keyOf = async (fields: object) => (await newApiKey(product, admin, { ...fields })).key as string;
const write = await keyOf({});
const read = await keyOf({ access: 'read' });

async function callBy({ name, accessCase }: OperationCase, token: string, headers = {}) {
  const request = await accessCase.request(tenants, admin);
  return product.call(name, { ...request, token, headers: { ...request.headers, ...headers } });
}

const byAdmin = ({ operation, accessCase }: OperationCase) =>
  accessCase.byKey ?? accessCase.refused?.admin ?? accessCase.status ?? operation.status ?? 200;

test('A key can be limited to every group in which there is something that a key may do, and to no other', () => {
  const open = guarded.filter((one) => !closed.includes(one)).map(({ name }) => groupOf.get(name));

  expect([...groups]).toEqual(
    [...new Set(open)]
      .filter((group) => group !== undefined && group !== 'API keys' && group !== 'Events')
      .sort(),
  );
});

test.each(closed)('$name is for no key', async (one) => {
  const request = await one.accessCase.request(tenants, admin);
  const response = await product.call(one.name, { ...request, token: write });
  expect(response.status).toBe(one.name === 'verify-token' ? 401 : 403);
  expect(response.consumed?.writeUnits ?? 0).toBe(0);
});

test.each(open)(
  '$name by a key that may write is what it is for its user, unless it is for keys alone',
  async (one) => {
    expect((await callBy(one, write)).status).toBe(byAdmin(one));
  },
);

test.each(open)('$name by a key that may only read is a 403 if it could change anything', async (one) => {
  const expected = isReading(one) ? byAdmin(one) : 403;
  expect((await callBy(one, read)).status).toBe(expected);
});

test.each(open)(
  '$name by a key without its group is a 403, and open to one with nothing else',
  async (one) => {
    const group = groupOf.get(one.name) as (typeof groups)[number];
    const others = groups.filter((other) => other !== group);
    const isForAll = !groups.includes(group);
    const expected = byAdmin(one);
    expect((await callBy(one, await keyWith(others))).status).toBe(isForAll ? expected : 403);
    if (!isForAll) {
      expect((await callBy(one, await keyWith([group]))).status).toBe(expected);
    }
  },
);

const byGroups = new Map<string, Promise<string>>();
function keyWith(some: readonly string[]): Promise<string> {
  const known = byGroups.get(some.join()) ?? keyOf({ groups: some });
  byGroups.set(some.join(), known);
  return known;
}

test('No key of a SUPERADMIN leaves its organization, neither by the header nor by the path', async () => {
  const { key: token } = await newApiKey(product, superadmin, {});
  const headers = { 'x-organization-id': admin.organizationId };
  expect((await product.call('read-me', { token, headers })).status).toBe(403);
  const path = { organizationId: admin.organizationId };
  expect((await product.call('read-organization', { token, path })).status).toBe(403);
});
