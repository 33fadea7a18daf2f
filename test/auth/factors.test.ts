import { Secret } from 'otpauth';
import { expect, test } from 'vitest';
import { factorKey } from '../../functions/auth/model/factors/factor.ts';
import { isCode, totpStep } from '../../functions/auth/model/factors/totp.ts';
import { second as aSecond, after as later } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { countStatuses, expectStatus, outcome } from '../harness/tenants.ts';
import { codeAt, factorsClient, wrong, wrongCodeAt } from './factors-client.ts';
import { identityTable, readUser } from './records.ts';

const product = await setUpProduct();
const { setUp, confirm, logIn, own, list, remove, mfaToken, second } = factorsClient(product);

const step = 30 * aSecond;
const notFound = { status: 404, body: { error: 'Factor not found', code: 'NOT_FOUND' } };

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
  expect(totpStep(code, secret, at)).toBe(wanted);
  expect(codeAt(secret, at)).toBe(code);
  expect(totpStep(code, secret, later(at, step))).toBe(wanted);
  expect(totpStep(code, secret, later(at, -step))).toBe(wanted);
  expect(totpStep(code, secret, later(at, 2 * step))).toBeUndefined();
  expect(totpStep(code, secret, later(at, -2 * step))).toBeUndefined();
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
  const stored = JSON.stringify(await identityTable(product).read(factorKey(person.userId)));
  expect(stored).not.toContain(secret);
  for (const code of recoveryCodes) {
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(code.replaceAll('-', ''));
  }
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
  expect(countStatuses(responses)).toEqual({ 200: 1, 409: 9 });
  const [code] = responses.find(({ status }) => status === 200)?.body.recoveryCodes ?? [];
  expect((await second(await mfaToken(person.email), code)).status).toBe(200);
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
  expect((await readUser(product, person))?.factorId).toBeUndefined();

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
  const otherRep = await product.newOrganization();
  const take = ({ token }: { token: string }, { userId }: { userId: string }, headers = {}) =>
    product.call('delete-factors-of-user', { token, path: { id: userId }, headers });
  const abroad = { 'x-organization-id': admin.organizationId };
  for (const person of [peer, head, rep, admin]) {
    await own(person);
  }
  expect((await take(rep, head)).status).toBe(403);
  expect((await take(head, rep)).status).toBe(403);
  expect((await take(otherRep, rep)).status).toBe(404);
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
