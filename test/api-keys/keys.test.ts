import { expect, test } from 'vitest';
import type { Claims } from '../../shared/kernel/caller.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import type { Provider } from '../../shared/kernel/ports.ts';
import { isApiKey, newApiKeySecret } from '../../shared/organizations/api-key-secret.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { joined, type Key } from '../../shared/table/key.ts';
import type { TableReader } from '../../shared/table/table.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { newApiKey, readRemembered } from './keys.ts';

const product = await setUpProduct();
const admin = await product.newOrganization();
const refused = { status: 401, body: refusals.invalid };
const hour = 3_600_000;

test('A key acts as its user, and says so', async () => {
  const { key, data } = await newApiKey(product, admin);
  expect(key).toMatch(/^sbk_[0-9A-Za-z]{49}$/);
  expect(data.prefix).toBe(key.slice(0, 12));
  const me = expectStatus(await product.call('read-me', { token: key }), 200).data;
  expect(me.user._id).toBe(admin.userId);
  expect(me.organization._id).toBe(admin.organizationId);
  expect(me.key._id).toBe(data._id);
  expect(me.key.lastUsedAt).toBe(new Date().toISOString().slice(0, 10));
  const mine = expectStatus(await product.call('read-me', { token: admin.token }), 200).data;
  expect(mine).toEqual({ user: me.user, organization: me.organization });
});

test('Whoever mistypes a key has sent none: its checksum tells', () => {
  const secret = newApiKeySecret();
  expect(isApiKey(secret)).toBe(true);
  expect(isApiKey(secret.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')))).toBe(false);
});

test('A key that nobody made is refused like a bad token', async () => {
  expect(outcome(await product.call('read-me', { token: newApiKeySecret() }))).toEqual(refused);
});

test('A deleted key opens nothing, from the next request on', async () => {
  const { key, data } = await newApiKey(product, admin);
  const contact = { body: { firstName: 'Ada' }, token: key };
  expectStatus(await product.call('create-contact', contact), 201);
  const path = { id: data._id };
  expectStatus(await product.call('delete-api-key', { token: admin.token, path }), 200);
  expect(outcome(await product.call('create-contact', contact))).toEqual(refused);
  expect(outcome(await product.call('read-me', { token: key }))).toEqual(refused);
});

test('A key that only reads moves and creates nothing, and sees the board', async () => {
  const { key: token } = await newApiKey(product, admin, { access: 'read' });
  expectStatus(await product.call('list-contacts-by-stage', { token, body: {} }), 200);
  expect(outcome(await product.call('create-contact', { token, body: { firstName: 'Ada' } }))).toMatchObject({
    status: 403,
    body: { message: 'This API key may only read.' },
  });
});

test('A rotated key works with both secrets until the overlap ends, and with no third', async () => {
  const { key: first, data } = await newApiKey(product, admin);
  const rotate = async (overlapHours: number) =>
    expectStatus(
      await product.call('rotate-api-key', {
        token: admin.token,
        path: { id: data._id },
        body: { overlapHours },
      }),
      200,
    ).key as string;
  const statusOf = async (token: string, at?: Date) => (await product.call('read-me', { token, at })).status;
  const second = await rotate(1);
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
  expect(await statusOf(first, new Date(Date.now() + 2 * hour))).toBe(401);
  const third = await rotate(1);
  expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 200, 200]);
  const fourth = await rotate(0);
  expect([await statusOf(second), await statusOf(third), await statusOf(fourth)]).toEqual([401, 401, 200]);
});

test('An expired key is refused like a bad token', async () => {
  const expiresAt = new Date(Date.now() + hour).toISOString();
  const { key: token } = await newApiKey(product, admin, { expiresAt });
  expectStatus(await product.call('read-me', { token }), 200);
  const later = await product.call('read-me', { token, at: new Date(Date.now() + hour) });
  expect(outcome(later)).toEqual(refused);
});

test('A key never exceeds the role that its user had when it was made, nor the one that the user has', async () => {
  const rep = await product.newColleague(admin, 'SALES_REP');
  const { key: token } = await newApiKey(product, admin, { userId: rep.userId });
  const update = (accessRole: string) =>
    product.call('update-user', { token: admin.token, path: { id: rep.userId }, body: { accessRole } });
  expectStatus(await update('ADMIN'), 200);
  const body = { name: 'Sales' };
  expect((await product.call('create-department', { token, body })).status).toBe(403);
  const { key: promoted } = await newApiKey(product, admin, { userId: rep.userId });
  expectStatus(await product.call('create-department', { token: promoted, body }), 201);
  expectStatus(await update('SALES_REP'), 200);
  expect((await product.call('create-department', { token: promoted, body: { name: 'More' } })).status).toBe(
    403,
  );
});

test('Disabling the user stops the key', async () => {
  const rep = await product.newColleague(admin, 'SALES_REP');
  const { key: token } = await newApiKey(product, admin, { userId: rep.userId });
  expectStatus(await product.call('read-me', { token }), 200);
  const path = { id: rep.userId };
  expectStatus(
    await product.call('update-user', { token: admin.token, path, body: { disabled: true } }),
    200,
  );
  expect(outcome(await product.call('read-me', { token }))).toEqual(refused);
});

test('Nobody makes a key for somebody with a higher role', async () => {
  const superadmin = await product.newSuperadmin(admin);
  const body = { name: 'Program', access: 'read', userId: superadmin.userId };
  expect((await product.call('create-api-key', { token: admin.token, body })).status).toBe(403);
});

test('The 101st key of an organization is refused until one is deleted, however many are made at once', async () => {
  const another = await product.newOrganization();
  const { token } = another;
  const body = { name: 'Program', access: 'read' };
  const ids: string[] = [];
  for (let count = 0; count < 98; count += 1) {
    ids.push((await newApiKey(product, another)).data._id);
  }
  const atOnce = await Promise.all(
    Array.from({ length: 4 }, () => product.call('create-api-key', { token, body })),
  );
  expect(atOnce.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
  const next = await product.call('create-api-key', { token, body });
  expect(outcome(next)).toEqual(
    failure(409, 'The organization has 100 API keys. Delete one that nobody needs.'),
  );
  expectStatus(await product.call('delete-api-key', { token, path: { id: ids[0] as string } }), 200);
  await newApiKey(product, another);
});

test('A key opens no door that asks for something else', async () => {
  const { key: token } = await newApiKey(product, admin);
  const registration = {
    email: 'another@example.com',
    password: 'correct horse battery',
    firstName: 'A',
    lastName: 'B',
  };
  const headers = { authorization: `Bearer ${token}` };
  expect((await product.call('register', { headers, body: registration })).status).toBe(403);
  expect((await product.call('verify-token', { headers })).status).toBe(401);
  expect((await product.call('refresh', { body: { refreshToken: token } })).status).toBe(401);
  expect(
    (await product.call('login-with-factor', { body: { mfaToken: token, code: '123456' } })).status,
  ).toBe(401);
});

test('A higher role of the user reaches a key at once, though the gateway remembers the lower one', async () => {
  const rep = await product.newColleague(admin, 'ADMIN');
  const { key: token } = await newApiKey(product, admin, { userId: rep.userId });
  const update = async (accessRole: string) =>
    expectStatus(
      await product.call('update-user', {
        token: admin.token,
        path: { id: rep.userId },
        body: { accessRole },
      }),
      200,
    );
  await update('SALES_REP');
  const { authorizerProviders } = product;
  const remembered = (await readRemembered(product, token)) as Claims;
  expect(remembered.role).toBe('SALES_REP');
  await update('ADMIN');
  const organizations = authorizerProviders.organizations as Provider;
  const user = await product.tableOf(admin.organizationId).table.read(userKey(rep.userId));
  authorizerProviders.organizations = (scope) => (organizationId: string) => {
    const table = (organizations(scope) as (id: string) => TableReader)(organizationId);
    return {
      ...table,
      read: async (key: Key<unknown>) =>
        joined(key.sort) === joined(userKey(rep.userId).sort)
          ? { ...user, data: { ...user?.data, accessRole: 'SALES_REP' } }
          : table.read(key),
    };
  };
  const body = { name: `Department ${rep.userId}` };
  const { status } = await product.call('create-department', { token, body });
  authorizerProviders.organizations = organizations;
  expect(status).toBe(201);
});

test('A list of keys shows no secret', async () => {
  const { key } = await newApiKey(product, admin);
  const { text } = await product.call('list-api-keys', { token: admin.token, query: { limit: '100' } });
  expect(text).toContain(key.slice(0, 12));
  expect(text).not.toContain(key.slice(12));
  expect(text).not.toContain('digest');
});
