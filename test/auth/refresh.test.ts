import { expect, test } from 'vitest';
import type { RefreshPosition } from '../../shared/kernel/auth/refresh-token.ts';
import type { TokenSigner } from '../../shared/kernel/auth/tokens.ts';
import { day, after as later, minute, second } from '../../shared/kernel/time.ts';
import { replyLost } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';
import { setDisabled } from '../organizations/client.ts';
import { changeUser, scope } from './records.ts';
import { refused, sessionsClient, superseded, unknownFamily } from './sessions-client.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();
const start = new Date();

const { refresh, rotations, logout } = sessionsClient(product, start);

test('A refresh token is exchanged for new tokens, the session configuration and the user', async () => {
  const person = await product.newOrganization();

  const { status, body } = await refresh(person.refreshToken);

  expect(status).toBe(200);
  expect(body).toEqual({
    token: expect.any(String),
    socketToken: expect.any(String),
    refreshToken: expect.any(String),
    sessionConfig: expect.objectContaining({
      enabled: true,
      tokenExpiryHours: 1,
      passwordFallbackBehavior: 'logout',
    }),
    user: {
      id: person.userId,
      email: person.email,
      fullName: 'Test Person',
      organizationId: person.organizationId,
      accessRole: 'ADMIN',
      conversationOpenPreference: 'latest',
    },
  });
  expect((await product.call('verify-token', { token: body.token })).status).toBe(200);
});

/**
 * Decisions 2: a refused refresh token is one body for every cause, but for the previous token within 10 s of its rotation: the same with
 * `reason: 'superseded'` and a text of its own.
 */
test('A refresh token used 100 times at once gives exactly one session, and the others are told that one of them has it', async () => {
  const { refreshToken } = await product.newOrganization();

  const responses = await Promise.all(Array.from({ length: 100 }, () => refresh(refreshToken)));

  const winners = responses.filter(({ status }) => status === 200);
  const losers = responses.filter(({ status }) => status === 401);
  expect(winners).toHaveLength(1);
  expect(losers).toHaveLength(99);
  expect(new Set(losers.map(({ text }) => text))).toEqual(new Set([JSON.stringify(superseded)]));
  expect((await refresh(winners[0]?.body.refreshToken)).status).toBe(200);
});

test('A refresh token lives 30 days, and each exchange starts them again', async () => {
  const { refreshToken } = await product.newOrganization();
  const almost = later(start, 30 * day - minute);

  const first = await refresh(refreshToken, almost);
  const second = await refresh(first.body.refreshToken, later(almost, 30 * day - minute));
  const late = await refresh(second.body.refreshToken, later(almost, 60 * day));

  expect([first.status, second.status, late.status]).toEqual([200, 200, 401]);
  expect(late.body).toEqual(refused);
});

test.each([
  ['at once', 0],
  ['5 seconds later', 5 * second],
  ['10 seconds later to the millisecond', 10 * second],
  ['by a clock that is 2 seconds behind', -2 * second],
])(
  'A refresh token that was exchanged is superseded when it is sent %s, and the session goes on',
  async (_, age) => {
    const [used, current] = await rotations(1);

    const response = await refresh(used, later(start, age));

    expect(response).toMatchObject({ status: 401, body: superseded });
    expect(response.body).toEqual(superseded);
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect((await refresh(current, later(start, 11 * second))).status).toBe(200);
  },
);

test('A refresh token counts its 10 seconds from its own exchange, not from the start of the session', async () => {
  const [first, second_] = await rotations(1);
  const atLunch = later(start, 4 * 60 * minute);
  expect((await refresh(second_, atLunch)).status).toBe(200);

  expect((await refresh(second_, later(atLunch, 10 * second))).body).toEqual(superseded);
  expect((await refresh(first, later(atLunch, 10 * second))).body).toEqual(refused);
});

test('A refresh token that was exchanged more than 10 seconds ago ends the session', async () => {
  const [used, current] = await rotations(1);

  expect(await refresh(used, later(start, 10 * second + 1))).toMatchObject({ status: 401, body: refused });
  expect(await refresh(current, later(start, 11 * second))).toMatchObject({ status: 401, body: refused });
  // The session is over: nobody has a newer token that would be worth waiting for.
  expect((await refresh(used, later(start, second))).body).toEqual(refused);
});

test('A refresh token of two exchanges ago ends the session at once', async () => {
  const [oldest, previous, current] = await rotations(2);

  expect((await refresh(oldest)).body).toEqual(refused);
  expect((await refresh(previous)).body).toEqual(refused);
  expect((await refresh(current)).body).toEqual(refused);
});

test('A refresh token of a stolen session that is ended does not touch the other sessions of the user', async () => {
  const person = await product.newOrganization();
  const other = await product.call('login', {
    body: { email: person.email, password: 'correct horse battery' },
  });
  const used = await refresh(person.refreshToken);
  await refresh(person.refreshToken, later(start, minute));

  expect((await refresh(used.body.refreshToken, later(start, minute))).status).toBe(401);
  expect((await refresh(other.body.refreshToken)).status).toBe(200);
});

/** A refresh token that was exchanged a moment ago, of a session that was logged out since. */
async function loggedOut(): Promise<string> {
  const [used = '', current] = await rotations(1);
  await arrange(logout({ refreshToken: current }));
  return used;
}

test('Every refresh token that is no good gets the same bytes', async () => {
  const signer = product.providers.tokens?.(scope()) as TokenSigner;
  const person = await product.newOrganization();
  const other = await product.newOrganization();
  const [family, , user, organization, seal] = person.refreshToken.split('.');
  const now = new Date();
  const position = (await signer.readRefreshToken(person.refreshToken, now)) as RefreshPosition;
  const like = (changes: Partial<RefreshPosition>) => signer.refreshToken({ ...position, ...changes }, now);
  const bad: Record<string, string> = {
    'of a session that was logged out': await loggedOut(),
    'of two exchanges ago': (await rotations(2))[0] ?? '',
    'of an unknown session': await like({ familyId: unknownFamily }),
    'of a user who does not exist': await like({ userId: 'nobody' }),
    'of an organization that does not exist': await like({ organizationId: 'nowhere' }),
    'of a generation to come': await like({ generation: 2 }),
    'with the generation raised': `${family}.2.${user}.${organization}.${seal}`,
    'with the generation spelt differently': `${family}.01.${user}.${organization}.${seal}`,
    'with the user of another': `${family}.1.${other.userId}.${organization}.${seal}`,
    'with the organization of another': `${family}.1.${user}.${other.organizationId}.${seal}`,
    'with the seal of another': `${family}.1.${user}.${organization}.${other.refreshToken.split('.').at(-1)}`,
    'with one character of the seal changed': person.refreshToken.replace(/.$/, (last) =>
      last === 'A' ? 'E' : 'A',
    ),
    'an access token': person.token,
    empty: '',
    'with a key separator': `a#b.1.${user}.${organization}.${seal}`,
    garbage: '\u{1F511}'.repeat(300),
    long: 'x'.repeat(200_000),
  };
  for (const [which, token] of Object.entries(bad)) {
    const { status, body, text, headers } = await refresh(token);
    expect({ which, status, body }).toEqual({ which, status: 401, body: refused });
    expect({ which, text }).toEqual({ which, text: JSON.stringify(refused) });
    expect(headers['www-authenticate']).toBe('Bearer');
  }
  expect((await refresh(person.refreshToken)).status).toBe(200);
});

test('A refresh whose reply was lost after the commit is recognised when the SDK repeats it', async () => {
  const { refreshToken } = await product.newOrganization();
  faults.next('UpdateItemCommand', replyLost);
  const { body } = await refresh(refreshToken);
  expect((await refresh(body.refreshToken)).status).toBe(200);
});

test('A disabled user can not refresh, nor with a session of before when enabled again: only a new login goes on', async () => {
  const admin = await product.newOrganization();
  const person = await product.newColleague(admin);
  await setDisabled(product, admin, person, true);

  const response = await refresh(person.refreshToken);
  expect(response).toMatchObject({ status: 401, body: refused, consumed: { writeUnits: 0 } });

  await setDisabled(product, admin, person, false);
  expect(await refresh(person.refreshToken)).toMatchObject({ status: 401, body: refused });
  const { body } = await product.call('login', { body: { email: person.email, password } });
  expect((await refresh(body.refreshToken)).status).toBe(200);
});

test('A session that a login opened while its user was being disabled ends too', async () => {
  const admin = await product.newOrganization();
  const person = await product.newColleague(admin);
  await setDisabled(product, admin, person, true);
  // As such a login leaves it: the user was still enabled when it was read.
  await changeUser(product, person, { disabled: false });
  const { body } = await product.call('login', { body: { email: person.email, password } });
  await changeUser(product, person, { disabled: true });
  await setDisabled(product, admin, person, false);
  expect(await refresh(body.refreshToken)).toMatchObject({ status: 401, body: refused });
});

test('A session goes on when its user gets another role, other departments or an enabling that changes nothing', async () => {
  const admin = await product.newOrganization();
  const person = await product.newColleague(admin);
  for (const body of [
    { accessRole: 'ADMIN' },
    { accessRole: 'SALES_REP', departmentIds: [] },
    { disabled: false },
  ]) {
    const path = { id: person.userId };
    expect((await product.call('update-user', { token: admin.token, path, body })).status).toBe(200);
  }
  expect((await refresh(person.refreshToken)).status).toBe(200);
});

test('A disabled user whose other request has just refreshed is not told to wait for it', async () => {
  const admin = await product.newOrganization();
  const person = await product.newColleague(admin);
  expect((await refresh(person.refreshToken)).status).toBe(200);
  await changeUser(product, person, { disabled: true });

  expect((await refresh(person.refreshToken)).body).toEqual(refused);
});
