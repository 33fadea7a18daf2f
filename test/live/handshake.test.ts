import { expect, test } from 'vitest';
import type { InvocationScope } from '../../shared/kernel/ports.ts';
import { after as plus, second } from '../../shared/kernel/time.ts';
import type { Action, TableWriter } from '../../shared/table/table.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { setDisabled } from '../organizations/client.ts';
import { liveProduct } from './live-product.ts';

/** Happens before the next write of anybody. */
let beforeCommit: (() => Promise<void>) | undefined;

const product = await setUpProduct();
const organizations = product.providers.organizations as (
  scope: InvocationScope,
) => (id: string) => TableWriter;
product.providers.organizations = (scope) => (id: string) => {
  const table = organizations(scope)(id);
  return {
    ...table,
    async commit(actions: readonly Action[]) {
      await beforeCommit?.();
      return table.commit(actions);
    },
  };
};
const live = await liveProduct(product);

test('A handshake is refused once the session of its socket token was logged out, and another session goes on', async () => {
  const admin = await live.product.newOrganization();
  const login = await live.product.call('login', { body: { email: admin.email, password } });
  await live.product.call('logout', { body: { refreshToken: admin.refreshToken } });
  expect((await live.connect(admin.socketToken)).status).toBe(401);
  expect((await live.connect(login.body.socketToken)).status).toBe(200);
});

test('A handshake is refused after a replayed refresh token has ended the session', async () => {
  const admin = await live.product.newOrganization();
  const refresh = (refreshToken: string, at = new Date()) =>
    live.product.call('refresh', { body: { refreshToken }, at });
  const { body } = await refresh(admin.refreshToken);
  expect((await live.connect(body.socketToken)).status).toBe(200);
  expect((await refresh(admin.refreshToken, plus(new Date(), 11 * second))).status).toBe(401);
  expect((await live.connect(body.socketToken)).status).toBe(401);
});

test('A handshake is refused with the socket token of a session from before its user was disabled, though enabled again', async () => {
  const admin = await live.product.newOrganization();
  const rep = await live.product.newColleague(admin);
  await setDisabled(live.product, admin, rep, true);
  await setDisabled(live.product, admin, rep, false);
  expect((await live.connect(rep.socketToken)).status).toBe(401);
  const { body } = await live.product.call('login', { body: { email: rep.email, password } });
  expect((await live.connect(body.socketToken)).status).toBe(200);
});

test('A socket token of a session that was logged out extends no connection', async () => {
  const admin = await live.product.newOrganization();
  const { id } = await live.connect(admin.socketToken);
  await live.product.call('logout', { body: { refreshToken: admin.refreshToken } });
  expect(await live.send(id, { action: 'authenticate', token: admin.socketToken })).toMatchObject({
    event: 'error',
  });
});

test('A handshake is refused whose session ends between its look at the session and its last write', async () => {
  const admin = await live.product.newOrganization();
  beforeCommit = async () => {
    beforeCommit = undefined;
    await live.product.call('logout', { body: { refreshToken: admin.refreshToken } });
  };
  expect((await live.connect(admin.socketToken)).status).toBe(401);
  expect(beforeCommit).toBeUndefined();
});

test('A socket token of a session that can only set up a second factor opens and extends no connection', async () => {
  const admin = await live.product.newOrganization();
  const { id } = await live.connect(admin.socketToken);
  const { token, organizationId } = admin;
  const body = { factorRequiredFor: 'admins' };
  await live.product.call('update-session-settings', { token, path: { organizationId }, body });
  const limited = await live.product.call('refresh', { body: { refreshToken: admin.refreshToken } });
  expect(limited.status).toBe(200);
  expect((await live.connect(limited.body.socketToken)).status).toBe(401);
  expect(await live.send(id, { action: 'authenticate', token: limited.body.socketToken })).toMatchObject({
    event: 'error',
  });
});
