import { expect, test } from 'vitest';
import { factorKey } from '../../functions/auth/model/factors/factor.ts';
import { second as aSecond, day, after as later, minute } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, countStatuses, expectStatus, outcome } from '../harness/tenants.ts';
import { codeAt, factorsClient, wrong, wrongAtLogin, wrongCodeAt } from './factors-client.ts';
import { changeUser, identityTable } from './records.ts';
import { newPassword, sessionsClient } from './sessions-client.ts';

const product = await setUpProduct();
const { setUp, confirm, logIn, own, list, remove, mfaToken, second } = factorsClient(product);
const { refresh, change } = sessionsClient(product);

const step = 30 * aSecond;
const expired = {
  status: 401,
  body: { error: 'The mfaToken is invalid or has expired. Log in again.', code: 'TOKEN_EXPIRED' },
};
const tooMany = {
  status: 429,
  body: { error: 'Too many wrong codes. Wait before the next attempt.', code: 'TOO_MANY_ATTEMPTS' },
};

/** Somebody with a factor who has sent the right password: `token` is for the second step. */
async function begun(who?: Person) {
  const person = who ?? (await product.newOrganization());
  const at = new Date();
  return { person, at, ...(await own(person, at)), token: await mfaToken(person.email, at) };
}

test('Who confirms it gets ten recovery codes, and from then on a login asks for a code and gives no tokens', async () => {
  const person = await product.newOrganization();
  const { id, secret, recoveryCodes } = await own(person, later(new Date(), -minute));
  expect(new Set(recoveryCodes).size).toBe(10);
  expect(recoveryCodes.every((code) => /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/.test(code))).toBe(true);

  const first = await logIn(person.email);
  expect(first.status).toBe(200);
  expect(Object.keys(first.body)).toEqual(['mfaRequired', 'mfaToken']);
  expect(first.body.mfaRequired).toBe(true);

  const session = expectStatus(await second(first.body.mfaToken, codeAt(secret, new Date())), 200);
  const { user, sessionConfig } = expectStatus(await refresh(person.refreshToken), 200);
  expect(session).toMatchObject({ user, sessionConfig });
  expect(Object.keys(session)).toEqual(['token', 'user', 'refreshToken', 'socketToken', 'sessionConfig']);
  expectStatus(await product.call('list-sessions', { token: session.token }), 200);
  expectStatus(await refresh(session.refreshToken), 200);
  expect(await list(session)).toEqual([
    {
      _id: id,
      type: 'totp',
      confirmed: true,
      createdAt: expect.any(String),
      confirmedAt: expect.any(String),
      recoveryCodesLeft: 10,
    },
  ]);
});

test('A record that is put in the place of that of somebody else opens nothing', async () => {
  const [person, other] = [await product.newOrganization(), await product.newOrganization()];
  const { secret } = await own(person);
  const { id } = await own(other);
  const identity = identityTable(product);
  const [mine, theirs] = await identity.readMany([person, other].map(({ userId }) => factorKey(userId)));
  const data = mine && { ...mine.data, _id: id };
  await identity.commit(theirs && data ? [identity.replace(theirs, data)] : []);
  const at = later(new Date(), step);
  const token = await mfaToken(other.email, at);
  expect((await second(token, codeAt(secret, at), { at })).status).toBe(500);
});

test('A code works once: not the one that confirmed the factor, none twice, and none from before', async () => {
  const { at, secret, token } = await begun();
  expect(outcome(await second(token, codeAt(secret, at), { at }))).toEqual(wrongAtLogin);
  const next = codeAt(secret, later(at, step));
  expect((await second(token, next, { at: later(at, step) })).status).toBe(200);
  expect(outcome(await second(token, next, { at: later(at, step) }))).toEqual(wrongAtLogin);
  expect(outcome(await second(token, codeAt(secret, at), { at: later(at, step) }))).toEqual(wrongAtLogin);
  expect((await second(token, codeAt(secret, later(at, 2 * step)), { at: later(at, 2 * step) })).status).toBe(
    200,
  );
});

test('Of 8 simultaneous requests with one code, or with one recovery code, one opens a session', async () => {
  const { at, secret, recoveryCodes, token } = await begun();
  for (const code of [codeAt(secret, later(at, step)), recoveryCodes[3] ?? '']) {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => second(token, code, { at: later(at, step) })),
    );
    expect(countStatuses(responses)).toEqual({ 200: 1, 401: 7 });
  }
});

test('Each recovery code works once, however it is typed, and in any order', async () => {
  const { person, recoveryCodes, token } = await begun();
  for (const code of recoveryCodes.toReversed()) {
    const typed = code.toUpperCase().replaceAll('-', ' ');
    expect((await second(token, typed)).status).toBe(200);
    expect(outcome(await second(token, code))).toEqual(wrongAtLogin);
  }
  expect(await list(person)).toMatchObject([{ recoveryCodesLeft: 0 }]);
});

test('After 10 wrong codes the right one is refused for a minute, then for 2, from whatever address', async () => {
  const { person, at, secret, token } = await begun();
  for (let n = 0; n < 10; n += 1) {
    const sourceIp = `192.0.2.${n}`;
    expect(outcome(await second(token, wrongCodeAt(secret, at, n), { at, sourceIp }))).toEqual(wrongAtLogin);
  }
  const right = (when: Date) => second(token, codeAt(secret, when), { at: when });
  const blocked = await right(later(at, step));
  expect(outcome(blocked)).toEqual(tooMany);
  expect(blocked.headers['retry-after']).toBe('30');
  // The password is still right, and says nothing of the code.
  const afterBlock = later(at, minute);
  expect((await logIn(person.email, { at: afterBlock })).body.mfaRequired).toBe(true);
  expect(outcome(await second(token, wrongCodeAt(secret, afterBlock), { at: afterBlock }))).toEqual(
    wrongAtLogin,
  );
  expect(outcome(await right(later(afterBlock, 2 * minute - aSecond)))).toEqual(tooMany);
  const atLast = later(afterBlock, 2 * minute);
  expect((await right(atLast)).status).toBe(200);
  // The right code has cleared the wrong ones.
  const fresh = await mfaToken(person.email, atLast);
  expect(outcome(await second(fresh, wrongCodeAt(secret, atLast), { at: atLast }))).toEqual(wrongAtLogin);
});

test('9 wrong codes a day lock nobody out, and the tenth of another day counts anew', async () => {
  const person = await product.newOrganization();
  const at = new Date();
  const { secret } = await own(person, at);
  const wrongOnes = async (count: number, when: Date) => {
    const token = await mfaToken(person.email, when);
    for (let n = 0; n < count; n += 1) {
      expect((await second(token, wrongCodeAt(secret, when, n), { at: when })).status).toBe(401);
    }
  };
  await wrongOnes(9, at);
  await wrongOnes(9, later(at, day));
});

test('50 simultaneous guesses are no more than ten, and none gets in after them', async () => {
  const { at, secret, token } = await begun();
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, n) => second(token, wrongCodeAt(secret, at, n), { at })),
  );
  const { 401: tried = 0, 429: refused = 0 } = countStatuses(responses);
  expect(tried + refused).toBe(50);
  expect(tried).toBeLessThanOrEqual(10);
  expect((await second(token, codeAt(secret, later(at, step)), { at: later(at, step) })).status).toBe(429);
});

test('Wrong codes lock at every door: confirming, logging in and deleting', async () => {
  const { person, at, id, secret, token } = await begun();
  for (let n = 0; n < 5; n += 1) {
    expect(outcome(await remove(person, id, { code: wrongCodeAt(secret, at, n) }, at))).toEqual(wrong);
    expect(outcome(await second(token, wrongCodeAt(secret, at, n), { at }))).toEqual(wrongAtLogin);
  }
  expect(
    outcome(await remove(person, id, { code: codeAt(secret, later(at, step)) }, later(at, step))),
  ).toEqual(tooMany);
  const unconfirmed = await product.newOrganization();
  const other = expectStatus(await setUp(unconfirmed, at), 201);
  for (let n = 0; n < 10; n += 1) {
    expect((await confirm(unconfirmed, other._id, wrongCodeAt(other.secret, at, n), at)).status).toBe(400);
  }
  expect(outcome(await confirm(unconfirmed, other._id, codeAt(other.secret, at), at))).toEqual(tooMany);
});

test('The second step is open for 5 minutes, and to no other token', async () => {
  const { person, at, secret, token } = await begun();
  const late = later(at, 5 * minute);
  expect(outcome(await second(token, codeAt(secret, late), { at: late }))).toEqual(expired);
  const { token: access, socketToken, refreshToken } = person;
  for (const other of [access, socketToken, refreshToken, '', 'garbage']) {
    expect(outcome(await second(other, codeAt(secret, later(at, step)), { at: later(at, step) }))).toEqual(
      expired,
    );
  }
  // Nor is it a token for anything else.
  expect((await product.call('list-sessions', { token })).status).toBe(401);
  expect((await product.call('verify-token', { token })).status).toBe(401);
});

test.each<[string, (admin: Person, person: Person) => Promise<unknown>]>([
  ['the password was changed', async (_, person) => expectStatus(await change(person), 200)],
  ['the user was disabled', (_, person) => changeUser(product, person, { disabled: true })],
  [
    'the factor was taken away',
    ({ token }, { userId: id }) => arrange(product.call('delete-factors-of-user', { token, path: { id } })),
  ],
])('The second step is closed after %s', async (_, act) => {
  const admin = await product.newOrganization();
  const { person, recoveryCodes, token } = await begun(await product.newColleague(admin));
  await act(admin, person);
  expect(outcome(await second(token, recoveryCodes[0] ?? ''))).toEqual(expired);
});

test('A new password leaves the factor: the next login asks for its code', async () => {
  const person = await product.newOrganization();
  const { recoveryCodes } = await own(person);
  expectStatus(await change(person), 200);
  const first = await product.call('login', { body: { email: person.email, password: newPassword } });
  expect(first.body.mfaRequired).toBe(true);
  expect((await second(first.body.mfaToken, recoveryCodes[0] ?? '')).status).toBe(200);
});

test('A wrong password says nothing of the factor', async () => {
  const person = await product.newOrganization();
  await own(person);
  const sent = (email: string) => product.call('login', { body: { email, password: 'not the password' } });
  expect(outcome(await sent(person.email))).toEqual(outcome(await sent('nobody@example.com')));
});

test('A network becomes known to the account with the code, and not with the password alone', async () => {
  const person = await product.newOrganization();
  const { recoveryCodes } = await own(person);
  const sourceIp = '198.51.100.77';
  const first = await logIn(person.email, { sourceIp });
  const wrongPassword = (from: string) =>
    product.call('login', { body: { email: person.email, password: 'not it' }, sourceIp: from });
  for (let n = 0; n < 5; n += 1) {
    await wrongPassword('198.51.100.78');
  }
  expect((await logIn(person.email, { sourceIp })).status).toBe(429);
  expect((await second(first.body.mfaToken, recoveryCodes[0] ?? '', { sourceIp })).status).toBe(200);
  expect((await logIn(person.email, { sourceIp })).status).toBe(200);
});
