import { afterEach, expect, test, vi } from 'vitest';
import type { TokenSigner } from '../../shared/kernel/auth/tokens.ts';
import { after as later, minute } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { cheapPasswords, password } from '../harness/product.ts';
import { countStatuses, outcome } from '../harness/tenants.ts';
import { scope } from './records.ts';
import { newPassword, refused, sessionsClient } from './sessions-client.ts';

const product = await setUpProduct();
const { refresh, logIn, change, statusOfLogin } = sessionsClient(product);
afterEach(() => {
  product.providers.passwords = () => cheapPasswords;
});

const wrongPassword = { error: 'currentPassword is not your password', code: 'WRONG_PASSWORD' };

test('A changed password logs in, the old one no longer does, and the response is `{success, message}`', async () => {
  const person = await product.newOrganization();

  const response = await change(person);

  expect(outcome(response)).toEqual({ status: 200, body: { success: true, message: 'Password changed' } });
  expect(await statusOfLogin(person, password)).toBe(401);
  expect(await statusOfLogin(person, newPassword)).toBe(200);
});

test('A changed password ends every other session, and the session of the access token goes on', async () => {
  const person = await product.newOrganization();
  const [older, own, newer] = [person, await logIn(person), await logIn(person)];
  expect((await change(own)).status).toBe(200);

  for (const { refreshToken } of [older, newer]) {
    expect(await refresh(refreshToken)).toMatchObject({ status: 401, body: refused });
  }
  const renewed = await refresh(own.refreshToken);
  expect(renewed.status).toBe(200);
  expect((await refresh((await logIn(person, newPassword)).refreshToken)).status).toBe(200);

  // From another session than the first time.
  const last = await logIn(person, newPassword);
  expect((await change(last, { currentPassword: newPassword, newPassword: password })).status).toBe(200);
  expect((await refresh(renewed.body.refreshToken)).status).toBe(401);
  expect((await refresh(last.refreshToken)).status).toBe(200);
});

test('A changed password does not bring back the session that a sign-out has ended, whose access token still works', async () => {
  const person = await product.newOrganization();
  const path = { id: person.userId };
  expect((await product.call('sign-out-user', { token: person.token, path })).status).toBe(200);

  expect((await change(person)).status).toBe(200);
  expect(await refresh(person.refreshToken)).toMatchObject({ status: 401, body: refused });
});

test('A password that is changed with an access token of an older version, which names no session, ends all', async () => {
  const person = await product.newOrganization();
  const signer = product.providers.tokens?.(scope()) as TokenSigner;
  const { userId, organizationId, role } = person;
  const expiresAt = Math.floor(Date.now() / 1_000) + 60;
  const token = await signer.accessToken({ userId, organizationId, role, expiresAt }, new Date());
  expect((await change({ token })).status).toBe(200);
  expect((await refresh(person.refreshToken)).body).toEqual(refused);
});

test('A wrong current password is 400 and changes nothing', async () => {
  const person = await product.newOrganization();
  const other = await logIn(person);

  expect(outcome(await change(person, { currentPassword: 'not the password' }))).toEqual({
    status: 400,
    body: wrongPassword,
  });
  expect((await refresh(other.refreshToken)).status).toBe(200);
  expect(await statusOfLogin(person, password)).toBe(200);
});

test('Wrong current passwords count as failed logins: after five of both, the right one is 429 at either door', async () => {
  const person = await product.newOrganization();
  const at = new Date();
  const sourceIp = '192.0.2.77';
  const wrong = { currentPassword: 'not the password' };
  for (const _ of [1, 2, 3]) {
    expect((await change(person, wrong, { at, sourceIp })).status).toBe(400);
  }
  const body = { email: person.email, password: 'not the password' };
  for (const _ of [1, 2]) {
    expect((await product.call('login', { body, at, sourceIp })).status).toBe(401);
  }
  const verify = vi.spyOn(cheapPasswords, 'verify');
  const blocked = await change(person, {}, { at, sourceIp });
  expect(outcome(blocked)).toEqual({
    status: 429,
    body: { error: 'Too many failed logins. Wait before the next attempt.', code: 'TOO_MANY_ATTEMPTS' },
  });
  expect(blocked.headers['retry-after']).toBe('60');
  expect(verify).not.toHaveBeenCalled();
  verify.mockRestore();
  const right = { email: person.email, password };
  expect((await product.call('login', { body: right, at, sourceIp })).status).toBe(429);
  expect((await change(person, {}, { at: later(at, minute), sourceIp })).status).toBe(200);
});

test('50 simultaneous guesses of the current password are no more than a login would let through', async () => {
  const person = await product.newOrganization();
  const sent = { at: new Date(), sourceIp: '192.0.2.78' };
  const guesses = Array.from({ length: 50 }, (_, n) => ({ currentPassword: `guess number ${n}` }));
  const responses = await Promise.all(guesses.map((guess) => change(person, guess, sent)));
  const { 400: tried = 0, 429: refused = 0 } = countStatuses(responses);
  expect(tried + refused).toBe(50);
  // Fewer where one counts for the account when the address has just been blocked.
  expect(tried).toBeGreaterThan(0);
  expect(tried).toBeLessThanOrEqual(5);
});

test('20 simultaneous changes of a password make one: the others find that the current password is another', async () => {
  const person = await product.newOrganization();
  const wanted = Array.from({ length: 20 }, (_, n) => `the new password ${n}`);

  const responses = await Promise.all(wanted.map((one) => change(person, { newPassword: one })));

  const winners = wanted.filter((_, n) => responses[n]?.status === 200);
  expect(winners).toHaveLength(1);
  expect(responses.every(({ status }) => [200, 400, 409, 429].includes(status))).toBe(true);
  const at = later(new Date(), 90 * minute);
  const body = { email: person.email, password: winners[0] };
  expect((await product.call('login', { body, at })).status).toBe(200);
});

test('A change that loses to another at the same time is 409, and is not a failed login', async () => {
  const person = await product.newOrganization();
  let other: ReturnType<typeof change> | undefined;
  product.providers.passwords = () => ({
    ...cheapPasswords,
    async hash(sent: string) {
      product.providers.passwords = () => cheapPasswords;
      other = change(person, { newPassword: 'the password of the other' });
      await other;
      return cheapPasswords.hash(sent);
    },
  });
  expect(await change(person)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  expect((await other)?.status).toBe(200);
  for (let count = 0; count < 4; count += 1) {
    expect(await statusOfLogin(person, 'not the password')).toBe(401);
  }
  expect(await statusOfLogin(person, 'the password of the other')).toBe(200);
});

test('A change whose response got lost is repeated with the same response, however often, and blocks nobody', async () => {
  const person = await product.newOrganization();
  for (let count = 0; count < 8; count += 1) {
    const response = await change(person);
    expect(outcome(response)).toEqual({ status: 200, body: { success: true, message: 'Password changed' } });
  }
  expect(countStatuses(await Promise.all([change(person), change(person)]))).toEqual({ 200: 2 });
  expect(await statusOfLogin(person, newPassword)).toBe(200);
});

test('A session that has not changed the password learns nothing from a request that seems to repeat the change', async () => {
  const person = await product.newOrganization();
  const other = await logIn(person);
  expect((await change(person)).status).toBe(200);
  expect(outcome(await change(other))).toEqual({ status: 400, body: wrongPassword });
});

test('Guesses of the password in the place of the new one count as failed logins, too', async () => {
  const person = await product.newOrganization();
  expect((await change(person)).status).toBe(200);
  const sent = { at: new Date(), sourceIp: '192.0.2.79' };
  const guesses = Array.from({ length: 50 }, (_, n) => ({
    newPassword: n === 25 ? newPassword : `guess number ${n}`,
  }));
  for (const guess of guesses.slice(0, 5)) {
    expect((await change(person, guess, sent)).status).toBe(400);
  }
  expect(countStatuses(await Promise.all(guesses.map((guess) => change(person, guess, sent))))).toEqual({
    429: 50,
  });
});

test('A SUPERADMIN who names another organization changes their own password', async () => {
  const superadmin = await product.newSuperadmin();
  const { organizationId } = await product.newOrganization();
  const response = await change(superadmin, {}, { headers: { 'x-organization-id': organizationId } });
  expect(response.status).toBe(200);
  expect(await statusOfLogin(superadmin, newPassword)).toBe(200);
});
