import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { defaultSessionConfig } from '../../shared/organizations/organization.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { expectStatus, outcome } from '../harness/tenants.ts';
import { problem } from './client.ts';
import { organizationEach } from './each.ts';

const product = await setUpProduct();
const own = organizationEach(product);
const { client } = own;

const put = (body: unknown) => client('update-session-settings', body);
const read = async () => expectStatus(await client('read-session-settings'), 200).data;

/** What no answer with tokens has. */
const required = { factorRequiredFor: 'nobody' };

test('Session settings that nobody has set are the defaults, all ten', async () => {
  const { status, body } = await client('read-session-settings');
  expect({ status, body }).toEqual({
    status: 200,
    body: { success: true, data: { ...defaultSessionConfig, ...required } },
  });
  expect(Object.keys(body.data)).toHaveLength(10);
});

test('Session settings hold for the next login and the next refresh, each of the nine', async () => {
  const settings = {
    enabled: false,
    idleTimeoutMinutes: 90,
    tokenExpiryHours: 0.25,
    warningTimeMinutes: 2.5,
    idleTrackingEnabled: false,
    ssoSilentRenewalEnabled: false,
    ssoFallbackBehavior: 'logout',
    passwordSilentRenewalEnabled: false,
    passwordFallbackBehavior: 'redirect',
  };
  expect(outcome(await put(settings))).toEqual({
    status: 200,
    body: { success: true, data: { ...settings, ...required } },
  });

  const sessions = [
    await product.call('login', { body: { email: own.admin.email, password } }),
    await product.call('refresh', { body: { refreshToken: own.admin.refreshToken } }),
  ];
  for (const { body: session } of sessions) {
    expect(session.sessionConfig).toEqual(settings);
    const { iat = 0, exp = 0 } = decodeJwt(session.token);
    expect(exp - iat).toBe(900);
  }
});

test('Session settings are updated in part, and by an empty body not at all', async () => {
  await put({ idleTimeoutMinutes: 120 });
  expect((await put({ enabled: false })).body.data).toEqual({
    ...defaultSessionConfig,
    ...required,
    idleTimeoutMinutes: 120,
    enabled: false,
  });
  const before = (await client('read-organization')).body.data.updatedAt;
  expect((await put({})).body.data).toEqual(await read());
  expect((await client('read-organization')).body.data.updatedAt).toBe(before);
});

/** Decisions 3: `ssoFallbackBehavior` and `passwordFallbackBehavior` are hints for clients: any text of 1-64. */
test.each([
  ['idleTimeoutMinutes', [10, 1_440], [0, -1, 0.99, 1_440.5, 1_441, '30']],
  ['tokenExpiryHours', [0.001, 0.5, 24], [0, -1, 0.0009, 24.01, 1e308, '1']],
  ['warningTimeMinutes', [0, 29.5], [-1, 30, 31, 1_441, '5']],
  ['ssoFallbackBehavior', ['logout', 'ask again', 'x', '🔑'.repeat(64)], ['', '🔑'.repeat(65), 1]],
  ['passwordFallbackBehavior', ['redirect', 'LOGOUT', 'constructor'], ['', 'x'.repeat(65), true]],
  ['enabled', [true, false], ['true', 1]],
  ['idleTrackingEnabled', [true, false], ['true', 0]],
  ['ssoSilentRenewalEnabled', [true, false], ['']],
  ['passwordSilentRenewalEnabled', [true, false], [[]]],
])('Session settings take of %s the values %s, and not %s', async (field, possible, impossible) => {
  for (const value of possible) {
    expect((await put({ [field]: value })).body.data?.[field]).toBe(value);
  }
  await put(defaultSessionConfig);
  for (const value of impossible) {
    expect(outcome(await put({ [field]: value })), String(value)).toEqual(
      problem(
        400,
        'Invalid request',
        expect.stringMatching(`^${field} must (be|not be empty|have at most 64)`),
      ),
    );
  }
  expect(await read()).toEqual({ ...defaultSessionConfig, ...required });
});

test('Session settings warn before the timeout, whichever of the two is changed', async () => {
  const late = problem(400, 'Invalid request', 'warningTimeMinutes must be less than idleTimeoutMinutes');
  expect(outcome(await put({ idleTimeoutMinutes: 5 }))).toEqual(late);
  expect(outcome(await put({ warningTimeMinutes: 60, idleTimeoutMinutes: 60 }))).toEqual(late);
  expect((await put({ warningTimeMinutes: 1, idleTimeoutMinutes: 2 })).status).toBe(200);
});

const join = (organizationId: string) =>
  product.call('register', {
    body: { email: `${Math.random()}@example.com`, password, firstName: 'A', lastName: 'B', organizationId },
  });

test('The registration mode opens the organization to everybody at once, and closes it again', async () => {
  expect((await join(own.admin.organizationId)).status).toBe(403);
  const { status, body } = await client('update-registration-mode', { registrationMode: 'open' });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
  expect(body.data).toMatchObject({ _id: own.admin.organizationId, registrationMode: 'open' });
  expect((await join(own.admin.organizationId)).body.user.accessRole).toBe('SALES_REP');
  expectStatus(await client('update-registration-mode', { registrationMode: 'admin_only' }), 200);
  expect((await join(own.admin.organizationId)).status).toBe(403);
});

test.each([undefined, null, '', 'OPEN', 'closed', true])(
  'The registration mode is not %s',
  async (registrationMode) => {
    expect(outcome(await client('update-registration-mode', { registrationMode }))).toEqual(
      problem(400, 'Invalid request', expect.stringMatching(/^registrationMode /)),
    );
  },
);
