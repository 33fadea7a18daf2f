import { expect, test } from 'vitest';
import { setUpLiveHost } from './fixtures.ts';
import type { User } from './live-host.ts';

const host = await setUpLiveHost();
const password = 'correct horse battery';

/** Another session of a user. */
async function logIn(user: User): Promise<User> {
  const { email } = (await host.call(`GET /api/users/${user.id}`, user)).data;
  return { ...user, ...(await host.call('POST /api/auth/login', undefined, { email, password })) };
}

const sessionOf = ({ refreshToken }: User) => refreshToken.split('.')[0];

const expectToBeOver = async (session: User) => {
  const { refreshToken } = session;
  await expect(host.call('POST /api/auth/refresh', undefined, { refreshToken })).rejects.toThrow('401');
  await expect(host.open(session)).rejects.toThrow('401');
};

test('The connections of a user who is signed out are closed at once, with nothing else happening, and stay closed', async () => {
  const admin = await host.newOrganization();
  const rep = await host.newColleague(admin);
  const phone = await logIn(rep);
  const [atDesk, onPhone, ofAdmin] = await Promise.all([rep, phone, admin].map((user) => host.open(user)));

  await host.call(`POST /api/users/${rep.id}/sign-out`, admin);

  expect([await atDesk?.ended, await onPhone?.ended]).toEqual([1000, 1000]);
  expect([atDesk?.frames, onPhone?.frames, ofAdmin?.frames]).toEqual([[], [], []]);
  await expectToBeOver(rep);
  await expectToBeOver(phone);
  const again = await host.open(await logIn(rep));
  await again.close();
  await ofAdmin?.close();
});

test('The connections of other sessions are closed at once when the password is changed, and that of the session goes on', async () => {
  const admin = await host.newOrganization();
  const lost = await logIn(admin);
  const [own, other] = await Promise.all([host.open(admin), host.open(lost)]);

  const body = { currentPassword: password, newPassword: 'a new horse, another battery' };
  await host.call('PUT /api/auth/password', admin, body);

  expect(await other.ended).toBe(1000);
  expect(other.frames).toEqual([]);
  expect(await own.frame(({ event }) => event === 'sessions_ended')).toMatchObject({ data: {} });
  await expectToBeOver(lost);
  const contact = (await host.call('POST /api/contacts/create', admin, { firstName: 'Ada' })).data;
  await own.frame(({ data }) => data.contactId === contact._id);
  await own.close();
});

test('The connections of a session that its user ends are closed at once, and the others are told which it was', async () => {
  const admin = await host.newOrganization();
  const lost = await logIn(admin);
  const [own, other] = await Promise.all([host.open(admin), host.open(lost)]);

  await host.call(`DELETE /api/auth/sessions/${sessionOf(lost)}`, admin);

  expect(await other.ended).toBe(1000);
  expect(other.frames).toEqual([]);
  const told = await own.frame(({ event }) => event === 'sessions_ended');
  expect(told.data).toEqual({ sessionId: sessionOf(lost) });
  await expectToBeOver(lost);
  await own.close();
});

test('The connections of a user who is disabled are closed at once, with nothing else happening', async () => {
  const admin = await host.newOrganization();
  const rep = await host.newColleague(admin);
  const socket = await host.open(rep);
  await host.call(`PUT /api/users/${rep.id}`, admin, { disabled: true });
  expect(await socket.ended).toBe(1000);
});

test('A connection that was authenticated with a token of another session belongs to that one', async () => {
  const admin = await host.newOrganization();
  const later = await logIn(admin);
  const socket = await host.open(admin);
  socket.send({ action: 'authenticate', token: later.socketToken });
  await socket.frame(({ event }) => event === 'authenticated');

  await host.call(`DELETE /api/auth/sessions/${sessionOf(admin)}`, later);
  await socket.frame(({ event }) => event === 'sessions_ended');
  await host.call(`DELETE /api/auth/sessions/${sessionOf(later)}`, later);
  expect(await socket.ended).toBe(1000);
});
