import { expect, test } from 'vitest';
import { day, hour, after as later, minute } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';

const product = await setUpProduct();
const start = new Date();

interface Attempt {
  email: string;
  sourceIp: string;
  at?: Date;
}

const login = ({ email, sourceIp, at = start }: Attempt, sent = password) =>
  product.call('login', { body: { email, password: sent }, sourceIp, at });

/** The statuses of wrong passwords, one after the other. */
async function failures(count: number, attempt: Attempt): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) {
    statuses.push((await login(attempt, 'not the password')).status);
  }
  return statuses;
}

const home = '198.51.100.7';

test('An account that a stranger keeps blocked goes on for who has signed in from there before, and for nobody else', async () => {
  const { email } = await product.newOrganization();
  expect((await login({ email, sourceIp: home })).status).toBe(200);
  const otherRep = '198.51.100.8';
  expect(await failures(6, { email, sourceIp: otherRep })).toEqual([401, 401, 401, 401, 401, 429]);

  expect((await login({ email, sourceIp: home })).status).toBe(200);
  for (const sourceIp of [otherRep, '198.51.100.9']) {
    expect((await login({ email, sourceIp })).status).toBe(429);
  }
  const nextDay = later(start, 20 * hour);
  await failures(6, { email, sourceIp: otherRep, at: nextDay });
  expect((await login({ email, sourceIp: home, at: nextDay })).status).toBe(200);
});

test('An account is blocked after five failures from where it has signed in before too, there alone', async () => {
  const { email } = await product.newOrganization();
  await login({ email, sourceIp: home });
  expect(await failures(6, { email, sourceIp: home })).toEqual([401, 401, 401, 401, 401, 429]);
  expect((await login({ email, sourceIp: home })).status).toBe(429);
  expect((await login({ email, sourceIp: '198.51.100.10' })).status).toBe(200);
  expect((await login({ email, sourceIp: home, at: later(start, minute) })).status).toBe(200);
});

test('An account has a known network for 90 days after a login from it, and failures do not shorten that', async () => {
  const { email } = await product.newOrganization();
  await login({ email, sourceIp: home });
  await failures(1, { email, sourceIp: home });
  const isKnownAt = async (at: Date) => {
    await failures(5, { email, sourceIp: '198.51.100.11', at });
    return (await login({ email, sourceIp: home, at })).status === 200;
  };
  expect(await isKnownAt(later(start, 25 * day))).toBe(true);
  // Prolonged by this login, and no longer fresh then.
  expect(await isKnownAt(later(start, 89 * day))).toBe(true);
  expect(await isKnownAt(later(start, 178 * day))).toBe(true);
  expect(await isKnownAt(later(start, 269 * day))).toBe(false);
});
