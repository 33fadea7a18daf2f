import { afterEach, describe, expect, test } from 'vitest';
import { ofKind } from '../../infra/registry.ts';
import type { Share } from '../../shared/kernel/ports.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { after, minute, second } from '../../shared/kernel/time.ts';
import { shareOfSenders } from '../../shared/messages/share-of-senders.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { timedOut } from '../contacts/faulty-table.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { allOperations } from '../harness/providers.ts';
import { deliverDeferred } from '../harness/queues.ts';
import { countStatuses, newPhoneNumber } from '../harness/tenants.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();
const start = new Date();
const approved = () => {
  product.providers.trialPolicy = () => trialPolicies.approved;
};
approved();
afterEach(() => {
  approved();
  faults.clear();
  product.queues.deferredRequests.take();
});

const shared = ofKind(allOperations, 'http').flatMap(({ name, operation }) =>
  operation.share === undefined ? [] : [{ name, operation, share: operation.share }],
);
const ofNetworks = shared.filter(({ operation }) => operation.minimumRole === 'anyone');
const ofUsers = shared.filter(({ operation }) => operation.minimumRole !== 'anyone');

let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `198.51.100.${addresses}`;
};

/** Sends as many requests as the share has, without the work of the operation. */
async function useUp(
  { operation, share }: (typeof shared)[number],
  { userId, sourceIp = '' }: { userId?: string; sourceIp?: string },
): Promise<void> {
  const { rateLimits } = newInvocation({ ...systemRuntime, clock: () => start }, product.providers).ports({
    rateLimits: 'limit',
  }) as { rateLimits: { limitRequests(...sent: unknown[]): Promise<unknown> } };
  for (let sent = 0; sent <= share.atOnce + share.atOnce / 30; sent += 1) {
    await rateLimits
      .limitRequests(operation.route, share, { userId, sourceIp }, async () => undefined)
      .catch(() => undefined);
  }
}

const sentBy = ({ name, operation }: (typeof shared)[number], from: { token?: string; sourceIp?: string }) =>
  product.call(name, { ...operation.example, at: start, ...from } as Parameters<typeof product.call>[1]);

test('Signing in and up, choosing passwords, simulating, running and webhooks have a share for each caller', () => {
  expect(ofNetworks.map(({ name }) => name).sort()).toEqual([
    ...['accept-invitation', 'forgot-password', 'login', 'login-with-factor', 'logout'],
    ...['receive-call', 'receive-lead', 'receive-sms', 'receive-status'],
    ...['refresh', 'register', 'reset-password'],
  ]);
  expect(ofUsers.map(({ name }) => name).sort()).toEqual([
    ...['change-password', 'confirm-factor', 'create-factor', 'delete-factor'],
    'run-workflow',
    'simulate-workflow',
  ]);
});

describe.each(ofNetworks)('$name', (one) => {
  test('One network that has used up its share gets 429 in the shape of the family, and another is served', async () => {
    const sourceIp = newAddress();
    await useUp(one, { sourceIp });
    const { status, body, headers } = await sentBy(one, { sourceIp });
    expect(status).toBe(429);
    expect(JSON.stringify(body)).toContain(
      'Too many requests of this kind have come from your network in a short time. Wait as many seconds as Retry-After says, then try again.',
    );
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await sentBy(one, { sourceIp: newAddress() })).status).not.toBe(429);
  });
});

describe.each(ofUsers)('$name', (one) => {
  test('A user who has used up the share gets 429, and a colleague and another organization are served', async () => {
    const admin: Person = await product.newOrganization();
    const others = [await product.newColleague(admin), await product.newOrganization()];
    await useUp(one, { userId: admin.userId });
    const { status, body } = await sentBy(one, admin);
    expect(status).toBe(429);
    expect(JSON.stringify(body)).toContain('You have sent too many requests of this kind in a short time.');
    for (const other of others) {
      expect((await sentBy(one, other)).status).not.toBe(429);
    }
  });
});

const reset = (sourceIp: string, at = start) =>
  product.call('reset-password', {
    body: { token: 'no token', password: 'correct horse battery' },
    sourceIp,
    at,
  });

const several = async (count: number, send: () => Promise<ApiResponse>) => {
  const responses: ApiResponse[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    responses.push(await send());
  }
  return countStatuses(responses);
};

test('A network that sends a thousand links that do not work is refused for a while, all of its IPv6 addresses together', async () => {
  let host = 0;
  const next = () => {
    host += 1;
    return reset(`2001:db8:1:2::${host.toString(16)}`);
  };
  const { 400: served = 0, 429: refused = 0 } = await several(1_100, next);
  expect(served).toBeGreaterThanOrEqual(1_000);
  expect(served).toBeLessThanOrEqual(1_000 + 1_000 / 30 + 1);
  expect(refused).toBe(1_100 - served);
  const { headers } = await next();
  const wait = Number(headers['retry-after']);
  expect(wait).toBeGreaterThan(0);
  expect((await reset('2001:db8:1:2::1', after(start, wait * second))).status).toBe(400);
  expect((await reset('2001:db8:1:3::1')).status).toBe(400);
});

test('A user who simulates without a pause is refused, and has the share again after two minutes', async () => {
  const admin = await product.newOrganization();
  const body = { topic: 'contact.created' };
  const simulate = (at = start) =>
    product.call('simulate-workflow', { path: { id: 'gone' }, body, token: admin.token, at });
  const { 404: served = 0, 429: refused = 0 } = await several(150, simulate);
  expect(served).toBeGreaterThanOrEqual(120);
  expect(refused).toBeGreaterThanOrEqual(20);
  const later = after(start, 5 * minute);
  expect(await several(120, () => simulate(later))).toEqual({ 404: 120 });
});

test('Whether an address has an account does not matter to the limit of forgotten passwords', async () => {
  const { email } = await product.newOrganization();
  const [one] = shared.filter(({ name }) => name === 'forgot-password');
  const sourceIp = newAddress();
  await useUp(one as (typeof shared)[number], { sourceIp });
  const forgot = (address: string, from: string) =>
    product.call('forgot-password', { body: { email: address }, sourceIp: from, at: start });
  const seen = async (address: string) => {
    const responses = [await forgot(address, sourceIp), await forgot(address, newAddress())];
    return responses.map(({ status, body, consumed }) => ({ status, body, trips: consumed?.roundTrips }));
  };
  const known = await seen(email);
  expect(await seen('nobody@example.com')).toEqual(known);
  expect(known.map(({ status }) => status)).toEqual([429, 200]);
});

test('A text that was deferred is stored later, even if its network has used up its share meanwhile', async () => {
  const sourceIp = newAddress();
  const sms = {
    path: { provider: 'twilio' },
    body: { MessageSid: 'SM1', From: newPhoneNumber(), To: newPhoneNumber(), Body: 'Hello' },
    sourceIp,
    at: start,
  };
  faults.always('GetItemCommand', timedOut);
  faults.always('BatchGetItemCommand', timedOut);
  expect((await product.call('receive-sms', sms)).status).toBe(202);
  faults.clear();
  const deferred = product.queues.deferredRequests.take().map(({ body }) => body);
  const [one] = shared.filter(({ name }) => name === 'receive-sms');
  await useUp(one as (typeof shared)[number], { sourceIp });
  expect((await product.call('receive-sms', sms)).status).toBe(429);
  const lines: Record<string, unknown>[] = [];
  const log = (line: Record<string, unknown>) => void lines.push(line);
  expect(await deliverDeferred(product.providers, deferred, { log })).toEqual({ batchItemFailures: [] });
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toHaveProperty('dropped');
});

test('Nothing is counted where the trial policy is open', async () => {
  product.providers.trialPolicy = () => trialPolicies.open;
  expect(await several(1_100, () => reset('203.0.113.9'))).toEqual({ 400: 1_100 });
});

test('A network sends to webhooks at most a fifth of what the gateway lets pass', () => {
  const gateway: Share = { atOnce: 2_500, eachSecond: 5_000 };
  expect(shareOfSenders.eachSecond).toBeLessThanOrEqual(gateway.eachSecond / 5);
});

test('Ordinary requests write nothing about shares', async () => {
  const sourceIp = newAddress();
  const { email } = await product.newOrganization();
  const login = () =>
    product.call('login', { body: { email, password: 'correct horse battery' }, sourceIp, at: start });
  await login();
  const counted = await login();
  product.providers.trialPolicy = () => trialPolicies.open;
  const uncounted = await login();
  expect(counted.status).toBe(200);
  expect(counted.consumed).toMatchObject({
    requests: uncounted.consumed?.requests,
    roundTrips: uncounted.consumed?.roundTrips,
    writeUnits: uncounted.consumed?.writeUnits,
    readUnits: uncounted.consumed?.readUnits,
  });
});
