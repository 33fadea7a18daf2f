import { Secret } from 'otpauth';
import { expect, test } from 'vitest';
import { factorKey } from '../../functions/auth/model/factor.ts';
import { isCode, stepOf } from '../../functions/auth/model/totp.ts';
import { second as aSecond, day, after as later, minute } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { expectStatus, outcome, statusesOf } from '../harness/world.ts';
import { codeAt, factorsClient, wrongCodeAt } from './factors-client.ts';
import { changeUser, identityOf, userOf } from './records.ts';
import { newPassword, sessionsClient } from './sessions-client.ts';

const product = await setUpProduct();
const { setUp, confirm, logIn, own, list, remove, mfaToken, second } = factorsClient(product);
const { refresh, change } = sessionsClient(product);

const step = 30 * aSecond;
const notFound = { status: 404, body: { error: 'Factor not found', code: 'NOT_FOUND' } };
const wrongAtLogin = {
  status: 401,
  body: { error: 'The code is wrong or was used before.', code: 'INVALID_CREDENTIALS' },
};
const wrong = {
  status: 400,
  body: {
    error:
      'The code is wrong or was used before. Send the code that your app shows now, and check the clock of your device.',
    code: 'WRONG_CODE',
  },
};
const expired = {
  status: 401,
  body: { error: 'The mfaToken is invalid or has expired. Log in again.', code: 'TOKEN_EXPIRED' },
};
const tooMany = {
  status: 429,
  body: { error: 'Too many wrong codes. Wait before the next attempt.', code: 'TOO_MANY_ATTEMPTS' },
};

/** RFC 6238, Appendix B, SHA1: the last six of eight digits. */
test.each([
  [59, 0x1, '94287082'],
  [1_111_111_109, 0x23523ec, '07081804'],
  [1_111_111_111, 0x23523ed, '14050471'],
  [1_234_567_890, 0x273ef07, '89005924'],
  [2_000_000_000, 0x3f940aa, '69279037'],
  [20_000_000_000, 0x27bc86aa, '65353130'],
])('RFC 6238: at %d seconds the time step is %d, and the code ends like %s', (seconds, wanted, digits) => {
  const secret = Secret.fromUTF8('12345678901234567890').base32;
  const at = new Date(seconds * 1_000);
  const code = digits.slice(2);
  expect(stepOf(code, secret, at)).toBe(wanted);
  expect(codeAt(secret, at)).toBe(code);
  expect(stepOf(code, secret, later(at, step))).toBe(wanted);
  expect(stepOf(code, secret, later(at, -step))).toBe(wanted);
  expect(stepOf(code, secret, later(at, 2 * step))).toBeUndefined();
  expect(stepOf(code, secret, later(at, -2 * step))).toBeUndefined();
  expect([isCode(code), isCode(`${code}0`), isCode(code.slice(1))]).toEqual([true, false, false]);
});

test('Who sets up a factor gets a secret of 160 bits and an address for the app, and logs in without a code until it is confirmed', async () => {
  const person = await product.newOrganization();
  const body = expectStatus(await setUp(person), 201);
  expect(Object.keys(body)).toEqual(['_id', 'secret', 'uri']);
  expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
  const uri = new URL(body.uri);
  expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
  expect(decodeURIComponent(uri.pathname)).toBe(`/Switchboard:${person.email}`);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'Switchboard',
    secret: body.secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
  expect(await list(person)).toEqual([
    { _id: body._id, type: 'totp', confirmed: false, createdAt: expect.any(String), recoveryCodesLeft: 0 },
  ]);
  expect(expectStatus(await logIn(person.email), 200).token).toBeTruthy();
});

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

test('A code may have blanks in it and digits of another width, as people type it', async () => {
  const person = await product.newOrganization();
  const at = new Date();
  const { _id, secret } = expectStatus(await setUp(person, at), 201);
  const code = codeAt(secret, at);
  const typed = ` ${code.slice(0, 3)} ${code.slice(3).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))}`;
  expect((await confirm(person, _id, typed, at)).status).toBe(200);
});

test('The table holds digests of the recovery codes, and the secret sealed for its user', async () => {
  const person = await product.newOrganization();
  const { recoveryCodes, secret } = await own(person);
  const stored = JSON.stringify(await identityOf(product).read(factorKey(person.userId)));
  expect(stored).not.toContain(secret);
  for (const code of recoveryCodes) {
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(code.replaceAll('-', ''));
  }
});

test('A record that is put in the place of that of somebody else opens nothing', async () => {
  const [person, other] = [await product.newOrganization(), await product.newOrganization()];
  const { secret } = await own(person);
  const { id } = await own(other);
  const identity = identityOf(product);
  const [mine, theirs] = await identity.readMany([person, other].map(({ userId }) => factorKey(userId)));
  const data = mine && { ...mine.data, _id: id };
  await identity.commit(theirs && data ? [identity.replace(theirs, data)] : []);
  const at = later(new Date(), step);
  const token = await mfaToken(other.email, at);
  expect((await second(token, codeAt(secret, at), { at })).status).toBe(500);
});

test('A factor that is not confirmed is replaced by the next; a confirmed one is not, and is confirmed only once', async () => {
  const person = await product.newOrganization();
  const at = new Date();
  const former = expectStatus(await setUp(person, at), 201);
  const { _id, secret } = expectStatus(await setUp(person, at), 201);
  expect(outcome(await confirm(person, former._id, codeAt(former.secret, at), at))).toEqual(notFound);
  expect(outcome(await confirm(person, _id, wrongCodeAt(secret, at), at))).toEqual(wrong);
  expect((await confirm(person, _id, codeAt(secret, at), at)).status).toBe(200);
  expect((await confirm(person, _id, codeAt(secret, later(at, step)), later(at, step))).status).toBe(409);
  expect((await setUp(person)).status).toBe(409);
});

test('Of a factor that is confirmed 10 times at once one wins, and its codes are those that work', async () => {
  const person = await product.newOrganization();
  const at = new Date();
  const { _id, secret } = expectStatus(await setUp(person, at), 201);
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => confirm(person, _id, codeAt(secret, at), at)),
  );
  expect(statusesOf(responses)).toEqual({ 200: 1, 409: 9 });
  const [code] = responses.find(({ status }) => status === 200)?.body.recoveryCodes ?? [];
  expect((await second(await mfaToken(person.email), code)).status).toBe(200);
});

test('A code works once: not the one that confirmed the factor, none twice, and none from before', async () => {
  const person = await product.newOrganization();
  const at = new Date();
  const { secret } = await own(person, at);
  const token = await mfaToken(person.email, at);
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
  const person = await product.newOrganization();
  const at = new Date();
  const { secret, recoveryCodes } = await own(person, at);
  const token = await mfaToken(person.email, at);
  for (const code of [codeAt(secret, later(at, step)), recoveryCodes[3] ?? '']) {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => second(token, code, { at: later(at, step) })),
    );
    expect(statusesOf(responses)).toEqual({ 200: 1, 401: 7 });
  }
});

test('Each recovery code works once, however it is typed, and in any order', async () => {
  const person = await product.newOrganization();
  const { recoveryCodes } = await own(person);
  const token = await mfaToken(person.email);
  for (const code of recoveryCodes.toReversed()) {
    const typed = code.toUpperCase().replaceAll('-', ' ');
    expect((await second(token, typed)).status).toBe(200);
    expect(outcome(await second(token, code))).toEqual(wrongAtLogin);
  }
  expect(await list(person)).toMatchObject([{ recoveryCodesLeft: 0 }]);
});

test('After 10 wrong codes the right one is refused for a minute, then for 2, from whatever address', async () => {
  const person = await product.newOrganization();
  const at = new Date();
  const { secret } = await own(person, at);
  const token = await mfaToken(person.email, at);
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
  const person = await product.newOrganization();
  const at = new Date();
  const { secret } = await own(person, at);
  const token = await mfaToken(person.email, at);
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, n) => second(token, wrongCodeAt(secret, at, n), { at })),
  );
  const { 401: tried = 0, 429: refused = 0 } = statusesOf(responses);
  expect(tried + refused).toBe(50);
  expect(tried).toBeLessThanOrEqual(10);
  expect((await second(token, codeAt(secret, later(at, step)), { at: later(at, step) })).status).toBe(429);
});

test('Wrong codes lock at every door: confirming, logging in and deleting', async () => {
  const person = await product.newOrganization();
  const at = new Date();
  const { id, secret } = await own(person, at);
  const token = await mfaToken(person.email, at);
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
  const person = await product.newOrganization();
  const at = new Date();
  const { secret } = await own(person, at);
  const token = await mfaToken(person.email, at);
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

test('The second step is closed after the password was changed, the user disabled or the factor taken away', async () => {
  const at = new Date();
  const begun = async () => {
    const admin = await product.newOrganization();
    const person = await product.newColleague(admin);
    const factor = await own(person, at);
    return { admin, person, factor, token: await mfaToken(person.email, at) };
  };
  const one = await begun();
  expectStatus(await change(one.person), 200);
  expect(outcome(await second(one.token, one.factor.recoveryCodes[0] ?? ''))).toEqual(expired);
  const two = await begun();
  await changeUser(product, two.person, { disabled: true });
  expect(outcome(await second(two.token, two.factor.recoveryCodes[0] ?? ''))).toEqual(expired);
  const three = await begun();
  const path = { id: three.person.userId };
  expectStatus(await product.call('delete-factors-of-user', { token: three.admin.token, path }), 200);
  expect(outcome(await second(three.token, three.factor.recoveryCodes[0] ?? ''))).toEqual(expired);
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

test('A factor is deleted with a code, a recovery code or the password, and with nothing else', async () => {
  const person = await product.newOrganization();
  const at = new Date();
  const first = await own(person, at);
  expect((await remove(person, first.id, {})).body).toEqual({
    error: 'code or currentPassword is required',
    code: 'INVALID',
  });
  expect(outcome(await remove(person, first.id, { currentPassword: 'not the password' }))).toEqual({
    status: 400,
    body: { error: 'currentPassword is not your password', code: 'WRONG_PASSWORD' },
  });
  expect(
    (await remove(person, first.id, { code: codeAt(first.secret, later(at, step)) }, later(at, step))).status,
  ).toBe(200);
  expect((await logIn(person.email)).body.token).toBeTruthy();
  expect(await list(person)).toEqual([]);

  const next = await own(person);
  expect((await remove(person, first.id, { currentPassword: password })).status).toBe(404);
  expect((await remove(person, next.id, { code: next.recoveryCodes[9] })).status).toBe(200);
  const last = await own(person);
  expect((await remove(person, last.id, { currentPassword: password })).status).toBe(200);
  expect((await userOf(product, person))?.factorId).toBeUndefined();

  const { _id } = expectStatus(await setUp(person), 201);
  expect((await remove(person, _id, {})).status).toBe(200);
  expect(await list(person)).toEqual([]);
});

test('Nobody sees, confirms or deletes the factor of somebody else', async () => {
  const [person, other] = [await product.newOrganization(), await product.newOrganization()];
  const at = new Date();
  const { _id, secret } = expectStatus(await setUp(person, at), 201);
  expect(await list(other)).toEqual([]);
  expect(outcome(await confirm(other, _id, codeAt(secret, at), at))).toEqual(notFound);
  expect(outcome(await remove(other, _id, { currentPassword: password }))).toEqual(notFound);
});

test('An administrator takes the factor away from users of a lower role, and from nobody else', async () => {
  const admin = await product.newOrganization();
  const [peer, head, rep] = await product.newColleagues(admin, [
    { role: 'ADMIN' },
    { role: 'DEPARTMENT_HEAD' },
    { role: 'SALES_REP' },
  ]);
  const superadmin = await product.newSuperadmin();
  const stranger = await product.newOrganization();
  const take = ({ token }: { token: string }, { userId }: { userId: string }, headers = {}) =>
    product.call('delete-factors-of-user', { token, path: { id: userId }, headers });
  const abroad = { 'x-organization-id': admin.organizationId };
  for (const person of [peer, head, rep, admin]) {
    await own(person);
  }
  expect((await take(rep, head)).status).toBe(403);
  expect((await take(head, rep)).status).toBe(403);
  expect((await take(stranger, rep)).status).toBe(404);
  for (const person of [peer, admin]) {
    expect(outcome(await take(admin, person))).toEqual({
      status: 403,
      body: {
        success: false,
        message: 'You may take the second factor away only from users of a lower role.',
      },
    });
  }
  for (const person of [head, rep]) {
    expect((await take(admin, person)).status).toBe(200);
    expect((await logIn(person.email)).body.token).toBeTruthy();
    expect((await take(admin, person)).status).toBe(404);
  }
  expect((await take(superadmin, peer, abroad)).status).toBe(200);
  expect((await logIn(peer.email)).body.token).toBeTruthy();
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
