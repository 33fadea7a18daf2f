import { expect, test } from 'vitest';
import { after as plus, second } from '../../shared/kernel/time.ts';
import { password } from '../harness/product.ts';
import { setDisabled } from '../organizations/client.ts';
import { setUpLiveProduct } from './fixtures.ts';

const live = await setUpLiveProduct();

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
