import { expect, test } from 'vitest';
import { day, after as later, minute } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { arrange, countStatuses, everyPage, expectStatus, outcome } from '../harness/tenants.ts';
import { refused, type Session, sessionIdIn, sessionsClient } from './sessions-client.ts';

const product = await setUpProduct();
const { refresh, logIn, logout, change } = sessionsClient(product);

const list = ({ token }: { token: string }, query: Record<string, string> = {}, at?: Date) =>
  product.call('list-sessions', { token, query, at });
const idsOf = async (session: { token: string }) =>
  (await everyPage<{ _id: string }>((query) => list(session, query))).map(({ _id }) => _id);
const end = ({ token }: { token: string }, id: string) =>
  product.call('end-session', { token, path: { id } });

const missing = { status: 404, body: { error: 'Session not found', code: 'NOT_FOUND' } };

test('A session is listed with its times, its device and whether it is the current one, newest first', async () => {
  const at = new Date();
  const person = await product.newOrganization();
  const { email } = person;
  const { body: phone } = await product.call('login', {
    body: { email, password: 'correct horse battery' },
    headers: { 'user-agent': 'Phone/1.0 (caf\u00e9)\u0007' },
    sourceIp: '192.0.2.9',
    at: later(at, minute),
  });
  const { body: renewed } = await refresh(phone.refreshToken, later(at, 5 * minute));

  const { status, body } = await list(renewed);

  expect(status).toBe(200);
  expect(body).toEqual({
    success: true,
    data: [
      {
        _id: sessionIdIn(phone),
        createdAt: later(at, minute).toISOString(),
        lastUsedAt: later(at, 5 * minute).toISOString(),
        userAgent: 'Phone/1.0 (caf)',
        ipAddress: '192.0.2.9',
        current: true,
      },
      {
        _id: sessionIdIn(person),
        createdAt: expect.any(String),
        lastUsedAt: body.data[1].createdAt,
        ipAddress: expect.any(String),
        current: false,
      },
    ],
    nextCursor: null,
  });
});

test('A session that was logged out, replayed or has expired is no longer listed', async () => {
  const person = await product.newOrganization();
  const [out, replayed] = [await logIn(person), await logIn(person)];
  await logout({ refreshToken: out.refreshToken });
  await refresh(replayed.refreshToken);
  await refresh(replayed.refreshToken, later(new Date(), minute));
  expect(await idsOf(person)).toEqual([sessionIdIn(person)]);

  const { body } = await product.call('refresh', {
    body: { refreshToken: (await logIn(person)).refreshToken },
    at: later(new Date(), 29 * day),
  });
  expect((await list(body, {}, later(new Date(), 29 * day + minute))).body.data).toHaveLength(2);
  const { body: last } = await refresh(body.refreshToken, later(new Date(), 31 * day));
  expect((await list(last, {}, later(new Date(), 31 * day))).body.data).toMatchObject([{ current: true }]);
});

test('The sessions of nobody else are listed, not even to the administrator', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  expect(await idsOf(rep)).toEqual([sessionIdIn(rep)]);
  expect(await idsOf(admin)).toEqual([sessionIdIn(admin)]);
});

test('Sessions come in pages, each once, without those that ended before: the kept one comes last', async () => {
  const person = await product.newOrganization();
  const own = await logIn(person);
  // Those between are over.
  for (const _ of Array(4)) {
    await logIn(person);
  }
  const body = { currentPassword: 'correct horse battery', newPassword: 'a new horse, another battery' };
  expectStatus(await product.call('change-password', { token: own.token, body }), 200);
  const later: Session[] = [];
  for (const _ of Array(5)) {
    later.push(await logIn(person, body.newPassword));
  }
  const expected = [...later.map(sessionIdIn).toSorted().toReversed(), sessionIdIn(own)];
  for (const limit of ['1', '2', '3', '5', '6', '25']) {
    const found = await everyPage<{ _id: string }>((query) => list(own, { limit, ...query }));
    expect(
      found.map(({ _id }) => _id),
      limit,
    ).toEqual(expected);
  }
  expect((await list(own, { limit: '5' })).body.data).toHaveLength(5);
});

test('Ending a session makes its refresh token useless at once, and leaves the others', async () => {
  const person = await product.newOrganization();
  const [own, lost] = [person, await logIn(person)];

  const response = await end(own, sessionIdIn(lost));

  expect(outcome(response)).toEqual({ status: 200, body: { success: true, message: 'Session ended' } });
  expect(await refresh(lost.refreshToken)).toMatchObject({ status: 401, body: refused });
  expect(await idsOf(own)).toEqual([sessionIdIn(own)]);
  expect((await refresh(own.refreshToken)).status).toBe(200);
});

test('Ending the session of the access token logs out', async () => {
  const person = await product.newOrganization();
  expect((await end(person, sessionIdIn(person))).status).toBe(200);
  expect(await refresh(person.refreshToken)).toMatchObject({ status: 401, body: refused });
});

test('Ending a session that is unknown, over, ended by a new password or of somebody else is 404, and harms nobody', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  const [over, before, own] = [await logIn(admin), await logIn(admin), await logIn(admin)];
  await logout({ refreshToken: over.refreshToken });
  await arrange(change(own));
  const ids = [
    sessionIdIn(rep),
    sessionIdIn(over),
    sessionIdIn(before),
    '01JZZZZZZZZZZZZZZZZZZZZZZZ',
    'x',
    'a#b',
    '%',
  ];
  for (const id of ids) {
    expect(outcome(await end(own, id)), id).toEqual(missing);
  }
  expect((await refresh(rep.refreshToken)).status).toBe(200);
});

test('Ending a session 20 times at once ends it once, however often it is refreshed meanwhile', async () => {
  const person = await product.newOrganization();
  const other = await logIn(person);
  const [responses, renewed] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => end(person, sessionIdIn(other)))),
    refresh(other.refreshToken),
  ]);
  expect(countStatuses(responses)).toEqual({ 200: 1, 404: 19 });
  for (const token of [other.refreshToken, renewed.body.refreshToken ?? '']) {
    expect((await refresh(token)).status).toBe(401);
  }
});
