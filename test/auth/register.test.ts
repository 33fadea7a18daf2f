import { expect, test } from 'vitest';
import type { TokenSigner } from '../../shared/kernel/auth/tokens.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import { defaultSessionConfig } from '../../shared/organizations/organization.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { outcome } from '../harness/world.ts';
import {
  addDepartment,
  changeOrganization,
  everything,
  newcomer,
  organizationOf,
  scope,
  userOf,
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
  expect(await organizationOf(product, body.user.organizationId)).toMatchObject({
    name: "Ada Byron's organization",
    registrationMode: 'admin_only',
  });
});

test('Without a bearer token and an organization, the organization is called what the person says, and has its pipelines', async () => {
  const { body } = await register({ organizationName: 'Analytical Engines', role: 'ADMIN' });

  expect(await organizationOf(product, body.user.organizationId)).toMatchObject({
    name: 'Analytical Engines',
  });
  const pipelines = await product.call('list-pipelines', { token: body.token });
  expect(pipelines.body.data.map(({ type }: { type: string }) => type).sort()).toEqual([
    'Application',
    'Contact',
  ]);
});

test.each(['SALES_REP', 'DEPARTMENT_HEAD', 'ADMIN'])(
  'Without a bearer token and an organization, the first user may be %s',
  async (role) => {
    const { status, body } = await register({ role });

    expect([status, body.user.accessRole]).toEqual([201, role]);
  },
);

test('Without a bearer token and an organization, nobody becomes SUPERADMIN', async () => {
  expect(await register({ role: 'SUPERADMIN' })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
});

test('Without a bearer token and an organization, nobody gives departments', async () => {
  const departmentId = await addDepartment(product, admin.organizationId);

  expect((await register({ departmentIds: [departmentId] })).status).toBe(403);
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

test('Registration without a bearer token into an organization that takes open registrations is possible as a SALES_REP only', async () => {
  const { organizationId } = await product.newOrganization();
  await changeOrganization(product, organizationId, { registrationMode: 'open' });

  const joined = await register({ organizationId });
  expect(joined).toMatchObject({ status: 201, body: { user: { organizationId, accessRole: 'SALES_REP' } } });
  for (const role of ['DEPARTMENT_HEAD', 'ADMIN', 'SUPERADMIN']) {
    expect(await register({ organizationId, role })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
  }
});

test.each<[Role, boolean]>([
  ['SALES_REP', true],
  ['DEPARTMENT_HEAD', true],
  ['ADMIN', true],
  ['SUPERADMIN', false],
])(
  'With the bearer token of an ADMIN, a %s can be registered in their organization: %s',
  async (role, possible) => {
    for (const organizationId of [undefined, admin.organizationId]) {
      const { status, body } = await register({ role, organizationId }, admin.token);
      expect(status).toBe(possible ? 201 : 403);
      if (possible) {
        expect(body.user).toMatchObject({ accessRole: role, organizationId: admin.organizationId });
      }
    }
  },
);

test('With the bearer token of an ADMIN, another organization is 403, whether it exists or not, without a look-up', async () => {
  const other = await product.newOrganization();
  for (const organizationId of [other.organizationId, 'unknown']) {
    const { status, body, consumed } = await register({ organizationId }, admin.token);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
    expect(consumed?.requests).toBe(0);
  }
});

test.each<Role>(['SALES_REP', 'DEPARTMENT_HEAD'])(
  'With the bearer token of a %s nobody can be registered',
  async (role) => {
    const colleague = await product.newColleague(admin, role);

    expect((await register({}, colleague.token)).status).toBe(403);
    expect((await register({ organizationId: admin.organizationId }, colleague.token)).status).toBe(403);
  },
);

test('A SUPERADMIN may name the organization in the header, others may not send it', async () => {
  const { organizationId } = admin;
  const named = await register({}, superadmin.token, { 'x-organization-id': organizationId });
  expect(named.body.user).toMatchObject({ organizationId, accessRole: 'SALES_REP' });
  expect((await register({}, admin.token, { 'x-organization-id': organizationId })).status).toBe(403);
  for (const id of ['nowhere', 'a#b', '']) {
    expect((await register({}, superadmin.token, { 'x-organization-id': id })).status).toBe(404);
  }
});

test('With the bearer token of a SUPERADMIN, any role can be registered in any organization that exists', async () => {
  const { organizationId } = admin;

  for (const role of ['SALES_REP', 'DEPARTMENT_HEAD', 'ADMIN', 'SUPERADMIN']) {
    const { status, body } = await register({ role, organizationId }, superadmin.token);
    expect(status).toBe(201);
    expect(body.user).toMatchObject({ accessRole: role, organizationId });
  }
  expect((await register({}, superadmin.token)).body.user.organizationId).toBe(superadmin.organizationId);
  expect(await register({ organizationId: 'unknown' }, superadmin.token)).toMatchObject({
    status: 404,
    body: { error: 'Organization not found', code: 'NOT_FOUND' },
  });
  expect(await organizationOf(product, 'unknown')).toBeUndefined();
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
  expect((await userOf(product, { userId, organizationId }))?.departmentIds).toEqual([one, two]);
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

test.each([
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

test('When the bearer token has expired, the response says so', async () => {
  const signer = product.providers.tokens?.(scope()) as TokenSigner;
  const token = await signer.accessToken(
    { ...admin, expiresAt: Math.floor(Date.now() / 1_000) - 1 },
    new Date(),
  );

  expect(outcome(await register({}, token))).toEqual({
    status: 401,
    body: { error: 'Token expired', message: expect.any(String) },
  });
});
