import { expect, test } from 'vitest';
import type { TokenVerifier } from '../../shared/kernel/auth/tokens.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { type Person, password } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { factorsClient } from './factors-client.ts';
import { newcomer, scope } from './records.ts';
import { sessionsClient } from './sessions-client.ts';

const product = await setUpProduct();
const { own, logIn, remove, mfaToken, second } = factorsClient(product);
const { refresh } = sessionsClient(product);

const require = ({ token, organizationId }: Person, factorRequiredFor: string) =>
  product.call('update-session-settings', { token, path: { organizationId }, body: { factorRequiredFor } });
const statusOfList = async ({ token }: { token: string }) =>
  (await product.call('list-departments', { token })).status;
const verifier = product.providers.tokens?.(scope()) as TokenVerifier;
const opensLive = async ({ socketToken }: { socketToken: string }) =>
  typeof (await verifier.socket(socketToken, new Date())) !== 'string';

/** Expects a session that may only set up a second factor. */
async function expectLimited(session: { token: string; socketToken: string; factorSetupRequired?: boolean }) {
  expect(session.factorSetupRequired).toBe(true);
  expect(await statusOfList(session)).toBe(403);
  expect(await opensLive(session)).toBe(false);
}

async function expectFull(session: { token: string; socketToken: string }) {
  expect(Object.keys(session)).not.toContain('factorSetupRequired');
  expect(await statusOfList(session)).toBe(200);
  expect(await opensLive(session)).toBe(true);
}

test('An organization requires a second factor of nobody at first, and of nobody but those whom it names', async () => {
  const admin = await product.newOrganization();
  const path = { organizationId: admin.organizationId };
  const settings = await product.call('read-session-settings', { token: admin.token, path });
  expect(settings.body.data.factorRequiredFor).toBe('nobody');
  for (const factorRequiredFor of ['somebody', '', null, true]) {
    expect((await require(admin, factorRequiredFor as string)).status).toBe(
      factorRequiredFor === null ? 200 : 400,
    );
  }
  expect(expectStatus(await require(admin, 'admins'), 200).data.factorRequiredFor).toBe('admins');
  const rep = await product.newColleague(admin);
  expect((await require(rep, 'nobody')).status).toBe(403);
});

test('Required of administrators, it limits their next session until they have one, and nobody else', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  expectStatus(await require(admin, 'admins'), 200);
  // A token from before works to its end.
  expect(await statusOfList(admin)).toBe(200);
  await expectFull((await logIn(rep.email)).body);
  const limited = expectStatus(await refresh(admin.refreshToken), 200);
  await expectLimited(limited);
  await expectLimited((await logIn(admin.email)).body);

  await own(limited);
  expect(await statusOfList(limited)).toBe(403);
  await expectFull(expectStatus(await refresh(limited.refreshToken), 200));
});

test('Required of everybody, it limits the sessions of who registers or is invited as well', async () => {
  const admin = await product.newOrganization();
  expectStatus(await require(admin, 'everybody'), 200);
  const registered = await product.call('register', { body: newcomer(), token: admin.token });
  await expectLimited(expectStatus(registered, 201));
  const rep = await product.newColleague(admin);
  const limited = expectStatus(await refresh(rep.refreshToken), 200);
  await expectLimited(limited);
  const { recoveryCodes } = await own(limited);
  const opened = await second(await mfaToken(rep.email), recoveryCodes[0] ?? '');
  await expectFull(expectStatus(opened, 200));
});

test('Who becomes an administrator needs it from the next session on', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  expectStatus(await require(admin, 'admins'), 200);
  const path = { id: rep.userId };
  const body = { accessRole: 'ADMIN' };
  expectStatus(await product.call('update-user', { token: admin.token, path, body }), 200);
  await expectLimited(expectStatus(await refresh(rep.refreshToken), 200));
});

test('Who deletes the factor that is required can only set up another, from the next session on', async () => {
  const admin = await product.newOrganization();
  expectStatus(await require(admin, 'everybody'), 200);
  const { id } = await own(admin);
  const full = expectStatus(await refresh(admin.refreshToken), 200);
  await expectFull(full);
  expectStatus(await remove(full, id, { currentPassword: password }), 200);
  await expectLimited(expectStatus(await refresh(full.refreshToken), 200));
});

test('A requirement that is taken back limits nobody any more', async () => {
  const admin = await product.newOrganization();
  expectStatus(await require(admin, 'admins'), 200);
  const { refreshToken } = expectStatus(await refresh(admin.refreshToken), 200);
  expectStatus(await require(admin, 'nobody'), 200);
  await expectFull(expectStatus(await refresh(refreshToken), 200));
});
