import { expect, test } from 'vitest';
import { after as later, second } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { outcome } from '../harness/tenants.ts';
import { readRows } from '../seed/table.ts';
import { changeUser } from './records.ts';
import { refused, sessionsClient, superseded } from './sessions-client.ts';

const product = await setUpProduct();
const start = new Date();
const { refresh, logout } = sessionsClient(product, start);

const withKey = (refreshToken: string, key: string, at = start) =>
  product.call('refresh', { body: { refreshToken }, headers: { 'idempotency-key': key }, at });
const newToken = async () => (await product.newOrganization()).refreshToken;

test.each([
  ['at once', 0],
  ['10 seconds later to the millisecond', 10 * second],
  ['by a clock that is 2 seconds behind', -2 * second],
])(
  'A refresh repeated %s with its key gets the same response to the byte, and its tokens work',
  async (_, age) => {
    const refreshToken = await newToken();
    const first = await withKey(refreshToken, 'one');

    const again = await withKey(refreshToken, 'one', later(start, age));

    expect(again.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect((await product.call('verify-token', { token: again.body.token })).status).toBe(200);
    expect((await refresh(again.body.refreshToken)).status).toBe(200);
  },
);

test('50 refreshes at once with the same key all get the same response', async () => {
  const refreshToken = await newToken();
  const responses = await Promise.all(Array.from({ length: 50 }, () => withKey(refreshToken, 'one')));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect((await refresh(responses[0]?.body.refreshToken)).status).toBe(200);
});

test('A refresh sent 50 times at once with keys of their own has one winner, and says so to the others', async () => {
  const refreshToken = await newToken();
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, n) => withKey(refreshToken, `key ${n}`)),
  );
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  const others = responses.filter(({ status }) => status !== 200);
  expect(new Set(others.map(({ text }) => text))).toEqual(new Set([JSON.stringify(superseded)]));
});

test('A refresh repeated with another key, without one, or with one after a refresh without, is superseded', async () => {
  const keyed = await newToken();
  await withKey(keyed, 'one');
  const plain = await newToken();
  await refresh(plain);
  for (const response of [
    await withKey(keyed, 'two'),
    await withKey(keyed, 'One'),
    await refresh(keyed),
    await withKey(plain, 'one'),
  ]) {
    expect(outcome(response)).toEqual({ status: 401, body: superseded });
  }
  // The session goes on: all of them may have been requests of one client.
  expect((await withKey(keyed, 'one')).status).toBe(200);
});

test('A key is of one refresh token: with the next one, it is a refresh of its own', async () => {
  const refreshToken = await newToken();
  const first = await withKey(refreshToken, 'one');
  const second_ = await withKey(first.body.refreshToken, 'one');
  expect(second_.status).toBe(200);
  expect(second_.text).not.toBe(first.text);
});

test('A refresh repeated with its key more than 10 seconds later, or after the next one, ends the session', async () => {
  const late = await newToken();
  const { body } = await withKey(late, 'one');
  expect(outcome(await withKey(late, 'one', later(start, 10 * second + 1)))).toEqual({
    status: 401,
    body: refused,
  });
  expect((await refresh(body.refreshToken)).status).toBe(401);

  const older = await newToken();
  const next = await refresh((await withKey(older, 'one')).body.refreshToken);
  expect(outcome(await withKey(older, 'one'))).toEqual({ status: 401, body: refused });
  expect((await refresh(next.body.refreshToken)).status).toBe(401);
});

test('A refresh repeated with its key after the session was ended, in any way, gets nothing', async () => {
  const admin = await product.newOrganization();
  const ends: Record<string, (person: typeof admin, next: string) => Promise<unknown>> = {
    'a logout': (_, refreshToken) => logout({ refreshToken }),
    'its end': ({ token, refreshToken }) =>
      product.call('end-session', { token, path: { id: refreshToken.split('.')[0] ?? '' } }),
    'a sign-out': ({ userId }) => product.call('sign-out-user', { token: admin.token, path: { id: userId } }),
    'a disabling': (person) => changeUser(product, person, { disabled: true }),
  };
  for (const [what, end] of Object.entries(ends)) {
    const person = await product.newColleague(admin);
    const { body } = await withKey(person.refreshToken, 'one');
    await end(person, body.refreshToken);
    expect(outcome(await withKey(person.refreshToken, 'one')), what).toEqual({ status: 401, body: refused });
  }
});

test('A key has at most 255 characters, and an empty one is none', async () => {
  const refreshToken = await newToken();
  expect(outcome(await withKey(refreshToken, 'x'.repeat(256)))).toEqual({
    status: 400,
    body: { error: 'Idempotency-Key must have at most 255 characters', code: 'INVALID' },
  });
  expect((await withKey(refreshToken, 'x'.repeat(255))).status).toBe(200);

  const other = await newToken();
  expect((await withKey(other, '')).status).toBe(200);
  expect(outcome(await withKey(other, ''))).toEqual({ status: 401, body: superseded });
});

test('A stored response shows none of its tokens, nor the token and the key that open it', async () => {
  const refreshToken = await newToken();
  const { body } = await withKey(refreshToken, 'a key that nobody stores');
  const rows = await readRows(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName);
  const [row] = rows.filter(({ sk }) => sk === `SESSION#${refreshToken.split('.')[0]}`);
  const stored = Buffer.from((row as unknown as { answer: Uint8Array }).answer);
  expect(stored.length).toBeGreaterThan(400);
  const shown = [stored.toString('latin1'), JSON.stringify(row)].join();
  for (const secret of [body.token, body.socketToken, body.refreshToken, refreshToken, 'a key that nobody']) {
    expect(shown).not.toContain(secret);
  }
  const { body: next } = await refresh(body.refreshToken);
  expect(next.refreshToken).toEqual(expect.any(String));
  const after = await readRows(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName);
  expect(after.find(({ pk, sk }) => pk === row?.pk && sk === row?.sk)).not.toHaveProperty('answer');
});
