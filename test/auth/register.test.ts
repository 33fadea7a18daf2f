import { expect, test } from 'vitest';
import type { TokenSigner } from '../../shared/kernel/auth/tokens.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import { defaultSessionConfig } from '../../shared/organizations/organization.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { outcome } from '../harness/tenants.ts';
import {
  addDepartment,
  changeOrganization,
  everything,
  newcomer,
  readOrganization,
  readUser,
  scope,
} from './records.ts';

const product = await setUpProduct();
const admin = await product.newOrganization();
const superadmin = await product.newSuperadmin();

const register = (more: Record<string, unknown> = {}, token?: string, headers: Record<string, string> = {}) =>
  product.call('register', { body: newcomer(more), token, headers });

test('Without a bearer token and an organization, a person becomes the first user of a new organization, as a SALES_REP, signed in', async () => {
  const { email } = newcomer();
  const { status, body } = await register({ email, firstName: ' Ada ', lastName: ' Byron ' });

  expect(status).toBe(201);
  expect(body).toEqual({
    token: expect.any(String),
    refreshToken: expect.any(String),
    socketToken: expect.any(String),
    sessionConfig: defaultSessionConfig,
    user: {
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      email,
      fullName: 'Ada Byron',
      organizationId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      accessRole: 'SALES_REP',
      conversationOpenPreference: 'latest',
    },
  });
  expect((await product.call('verify-token', { token: body.token })).status).toBe(200);
  expect((await product.call('refresh', { body: { refreshToken: body.refreshToken } })).status).toBe(200);
  expect((await product.call('login', { body: { email: body.user.email, password } })).status).toBe(200);
  expect(await readOrganization(product, body.user.organizationId)).toMatchObject({
    name: "Ada Byron's organization",
    registrationMode: 'admin_only',
  });
});

test('Without a bearer token and an organization, the organization is called what the person says, and has its pipelines', async () => {
  const { body } = await register({ organizationName: 'Analytical Engines', role: 'ADMIN' });

  expect(await readOrganization(product, body.user.organizationId)).toMatchObject({
    name: 'Analytical Engines',
  });
  const pipelines = await product.call('list-pipelines', { token: body.token });
  expect(pipelines.body.data.map(({ type }: { type: string }) => type).sort()).toEqual([
    'Application',
    'Contact',
  ]);
});

test('Registration without a bearer token into an organization that leaves registration to its administrators, or does not exist, is the same 403', async () => {
  const closed = await register({ organizationId: admin.organizationId });
  const unknown = await register({ organizationId: '01JD0000000000000000000000' });

  expect(closed.status).toBe(403);
  expect(closed.body).toEqual({ error: expect.stringContaining('open for registration'), code: 'FORBIDDEN' });
  expect({ ...unknown, headers: undefined, consumed: undefined }).toEqual({
    ...closed,
    headers: undefined,
    consumed: undefined,
  });
});

const open = await product.newOrganization();
await changeOrganization(product, open.organizationId, { registrationMode: 'open' });
const departmentId = await addDepartment(product, admin.organizationId);
const colleagues = await product.newColleagues(admin, [{ role: 'SALES_REP' }, { role: 'DEPARTMENT_HEAD' }]);
const bearers: Record<string, string | undefined> = {
  nobody: undefined,
  'a SALES_REP': colleagues[0].token,
  'a DEPARTMENT_HEAD': colleagues[1].token,
  'an ADMIN': admin.token,
  'a SUPERADMIN': superadmin.token,
};
const organizationIds: Record<string, string | undefined> = {
  'no organization': undefined,
  'their own': admin.organizationId,
  'an open one': open.organizationId,
  'one that does not exist': 'unknown',
};
const all: Role[] = ['SALES_REP', 'DEPARTMENT_HEAD', 'ADMIN', 'SUPERADMIN'];

/** Who registers whom, by the bearer token and the organization in the body: the roles that are possible, and the status of the others. */
test.each<[keyof typeof bearers, keyof typeof organizationIds, Role[], number]>([
  ['nobody', 'no organization', ['SALES_REP', 'DEPARTMENT_HEAD', 'ADMIN'], 403],
  ['nobody', 'an open one', ['SALES_REP'], 403],
  ['a SALES_REP', 'no organization', [], 403],
  ['a SALES_REP', 'their own', [], 403],
  ['a DEPARTMENT_HEAD', 'no organization', [], 403],
  ['a DEPARTMENT_HEAD', 'their own', [], 403],
  ['an ADMIN', 'no organization', ['SALES_REP', 'DEPARTMENT_HEAD', 'ADMIN'], 403],
  ['an ADMIN', 'their own', ['SALES_REP', 'DEPARTMENT_HEAD', 'ADMIN'], 403],
  // Without a look whether it exists.
  ['an ADMIN', 'an open one', [], 403],
  ['an ADMIN', 'one that does not exist', [], 403],
  ['a SUPERADMIN', 'their own', all, 403],
  ['a SUPERADMIN', 'an open one', all, 403],
  ['a SUPERADMIN', 'one that does not exist', [], 404],
])(
  'By the bearer token of %s, into %s, %j can be registered, others get %i',
  async (who, where, roles, otherwise) => {
    for (const role of all) {
      const organizationId = organizationIds[where];
      const { status, body } = await register({ role, organizationId }, bearers[who]);
      expect([role, status]).toEqual([role, roles.includes(role) ? 201 : otherwise]);
      if (status === 201) {
        const home = who === 'nobody' ? body.user.organizationId : admin.organizationId;
        expect(body.user).toMatchObject({ accessRole: role, organizationId: organizationId ?? home });
      } else {
        expect(body.code).toBe(status === 404 ? 'NOT_FOUND' : 'FORBIDDEN');
      }
    }
  },
);

test('Without a bearer token and an organization, nobody gives departments', async () => {
  expect((await register({ departmentIds: [departmentId] })).status).toBe(403);
});

test('A SUPERADMIN may name the organization in the header, others may not send it', async () => {
  const { organizationId } = admin;
  const named = await register({}, superadmin.token, { 'x-organization-id': organizationId });
  expect(named.body.user).toMatchObject({ organizationId, accessRole: 'SALES_REP' });
  expect((await register({}, admin.token, { 'x-organization-id': organizationId })).status).toBe(403);
  for (const id of ['nowhere', 'a#b', '']) {
    expect((await register({}, superadmin.token, { 'x-organization-id': id })).status).toBe(404);
  }
});

test('A SUPERADMIN who names no organization registers users in their own', async () => {
  const { user } = (await register({}, superadmin.token)).body;
  expect(user.organizationId).toBe(superadmin.organizationId);
});

test.each([
  {
    what: 'lost that role',
    body: { accessRole: 'SALES_REP' },
    response: { status: 403, body: { error: expect.stringContaining('role'), code: 'FORBIDDEN' } },
  },
  { what: 'was disabled', body: { disabled: true }, response: { status: 401, body: refusals.invalid } },
])(
  'With the bearer token of an ADMIN who $what since is refused, though the token is valid still',
  async ({ body, response }) => {
    const former = await product.newColleague(admin, 'ADMIN');
    const path = { id: former.userId };
    expect((await product.call('update-user', { token: admin.token, path, body })).status).toBe(200);
    expect((await product.call('verify-token', { token: former.token })).status).toBe(200);
    expect(outcome(await register({ role: 'ADMIN' }, former.token))).toEqual(response);
  },
);

test('With the bearer token of an ADMIN the new user is put into departments, each once', async () => {
  const one = await addDepartment(product, admin.organizationId);
  const two = await addDepartment(product, admin.organizationId);

  const { status, body } = await register({ departmentIds: [one, two, one] }, admin.token);

  expect(status).toBe(201);
  const { id: userId, organizationId } = body.user;
  expect((await readUser(product, { userId, organizationId }))?.departmentIds).toEqual([one, two]);
});

test('A department that does not exist, or is another organization’s, is 404 and nothing is written', async () => {
  const own = await addDepartment(product, admin.organizationId);
  const foreign = await addDepartment(product, superadmin.organizationId);
  const before = await everything(product);
  for (const departmentId of [foreign, 'unknown']) {
    expect(await register({ departmentIds: [own, departmentId] }, admin.token)).toMatchObject({
      status: 404,
      body: {
        error: 'departmentIds[1] is not the id of a department of this organization',
        code: 'NOT_FOUND',
      },
    });
  }
  expect(await everything(product)).toEqual(before);
});

const signer = product.providers.tokens?.(scope()) as TokenSigner;
const ended = { ...admin, expiresAt: Math.floor(Date.now() / 1_000) - 1 };
const expired = await signer.accessToken(ended, new Date());

test.each([
  ['expired', () => `Bearer ${expired}`, 'Token expired'],
  ['garbage', () => 'Bearer garbage', 'Invalid or expired token'],
  ['of another scheme', () => 'Basic YTpi', 'Invalid or expired token'],
  ['empty', () => '', 'Invalid or expired token'],
  ['a socket token', () => `Bearer ${admin.socketToken}`, 'Invalid or expired token'],
  ['a refresh token', () => `Bearer ${admin.refreshToken}`, 'Invalid or expired token'],
])(
  'When the bearer token is %s, the response is the 401 of every refused token',
  async (_, authorization, error) => {
    const { status, body, headers } = await product.call('register', {
      body: newcomer(),
      headers: { authorization: authorization() },
    });
    expect({ status, body }).toEqual({ status: 401, body: { error, message: expect.any(String) } });
    expect(headers['www-authenticate']).toBe('Bearer');
  },
);
