import { expect, test } from 'vitest';
import { after as later, minute } from '../../shared/kernel/time.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { countStatuses } from '../harness/tenants.ts';
import { newcomer } from './records.ts';

const product = await setUpProduct();
const start = new Date();
product.providers.trialPolicy = () => trialPolicies.approved;

const register = (sourceIp: string, more: Record<string, unknown> = {}, at = start) =>
  product.call('register', { body: newcomer(more), sourceIp, at });
const several = (count: number, sourceIp: string, at = start) =>
  Promise.all(Array.from({ length: count }, () => register(sourceIp, {}, at)));

test('Registrations from one address are refused with 429 after 20 within 5 minutes, and from another are not', async () => {
  const sourceIp = '192.0.2.20';
  expect(countStatuses(await several(25, sourceIp))).toEqual({ 201: 20, 429: 5 });
  const refused = await register(sourceIp, {}, later(start, minute));
  expect({ status: refused.status, body: refused.body, wait: refused.headers['retry-after'] }).toEqual({
    status: 429,
    body: { error: 'Too many registrations from your address. Try again later.', code: 'TOO_MANY_ATTEMPTS' },
    wait: '240',
  });
  expect((await register('192.0.2.21')).status).toBe(201);
  expect((await register(sourceIp, {}, later(start, 5 * minute))).status).toBe(201);
});

test('Registrations with an email address that is taken count too, so that nobody tries out addresses', async () => {
  const sourceIp = '192.0.2.22';
  const { email } = newcomer();
  expect((await register(sourceIp, { email })).status).toBe(201);
  const responses = await Promise.all(Array.from({ length: 21 }, () => register(sourceIp, { email })));
  expect(countStatuses(responses)).toEqual({ 409: 19, 429: 2 });
});

test('Registrations by an ADMIN are not counted', async () => {
  const admin = await product.newOrganization();
  const responses = await Promise.all(
    Array.from({ length: 25 }, () =>
      product.call('register', { body: newcomer(), token: admin.token, sourceIp: '192.0.2.23' }),
    ),
  );
  expect(countStatuses(responses)).toEqual({ 201: 25 });
});

test('Registrations are not limited where the trial policy is open', async () => {
  product.providers.trialPolicy = () => trialPolicies.open;
  expect(countStatuses(await several(25, '192.0.2.24'))).toEqual({ 201: 25 });
  product.providers.trialPolicy = () => trialPolicies.approved;
});
