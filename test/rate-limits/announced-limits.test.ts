import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { after, hour, minute, second } from '../../shared/kernel/time.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { newApiKey } from '../api-keys/keys.ts';
import { mailClient } from '../auth/mail-client.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';
import { prepareRecipient } from '../messages/recipient.ts';

/** Responses say how much is left of the limits that the request has drawn on. */

const product = await setUpProduct();
product.providers.trialPolicy = () => trialPolicies.approved;
const { invite } = await mailClient(product);
const admin = await product.newOrganization();
const superadmin = await product.newSuperadmin();
const start = new Date();

let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `203.0.113.${addresses}`;
};

const login = (email: string, sourceIp: string, sent = 'not the password', at = start) =>
  product.call('login', { body: { email, password: sent }, sourceIp, at });

/** The members of both headers that are about a limit. */
const announced = ({ headers }: ApiResponse, name: string) =>
  [headers['ratelimit-policy'] ?? '', headers.ratelimit ?? ''].map((field) =>
    field.split(', ').find((member) => member.startsWith(`"${name}";`)),
  );

test('A failed login says how many are left to the account and to the network, in the same words for an address without an account', async () => {
  const known = await product.newOrganization();
  const outcomes = await Promise.all(
    [known.email, `${randomUUID()}@example.com`].map(async (email) => {
      const sourceIp = newAddress();
      const responses: ApiResponse[] = [];
      for (let failure = 0; failure < 6; failure += 1) {
        responses.push(await login(email, sourceIp, undefined, after(start, failure * second)));
      }
      return responses.map(({ status, headers }) => [
        status,
        headers['ratelimit-policy'],
        headers.ratelimit,
        headers['retry-after'],
      ]);
    }),
  );
  expect(outcomes[0]).toEqual(outcomes[1]);
  const policy = '"login-account";q=5;w=900, "login-address";q=20;w=300, "requests";q=1000;w=200';
  expect(outcomes[0]?.map(([status, policies]) => [status, policies])).toEqual(
    [401, 401, 401, 401, 401, 429].map((status) => [status, policy]),
  );
  const left = outcomes[0]?.map(([, , limits]) => /"login-account";r=(\d)(;t=(\d+))?/.exec(String(limits)));
  expect(left?.map((found) => [found?.[1], found?.[3]])).toEqual([
    ['4', '900'],
    ['3', '899'],
    ['2', '898'],
    ['1', '897'],
    ['0', '60'],
    ['0', '59'],
  ]);
  // The refused one did not count; what it says of the wait is what `Retry-After` says.
  expect(outcomes[0]?.[5]?.[3]).toBe('59');
});

test('After a block, one attempt is left, and the right password gives all of them back', async () => {
  const { email } = await product.newOrganization();
  const sourceIp = newAddress();
  for (let failure = 0; failure < 5; failure += 1) {
    await login(email, sourceIp);
  }
  const late = after(start, minute);
  const again = await login(email, sourceIp, undefined, late);
  expect([again.status, announced(again, 'login-account')[1]]).toEqual([401, '"login-account";r=0;t=120']);
  const right = await login(email, sourceIp, password, after(start, hour));
  expect([right.status, announced(right, 'login-account')]).toEqual([
    200,
    ['"login-account";q=5;w=900', '"login-account";r=5'],
  ]);
});

test('A report of a forgotten password says nothing of what the account still gets', async () => {
  const { email } = await product.newOrganization();
  const { headers } = await product.call('forgot-password', { body: { email }, sourceIp: newAddress() });
  expect(headers['ratelimit-policy']).toMatch(/^"requests";q=\d+;w=\d+$/);
});

test('A text says how many the organization may still send on the day, and so does the one that is refused', async () => {
  const at = new Date('2026-05-01T12:00:00.000Z');
  const path = { organizationId: admin.organizationId };
  await arrange(
    product.call('update-text-settings', {
      token: superadmin.token,
      path,
      body: { dailyLimit: 2, standardSender: true },
    }),
  );
  const { contactId } = await prepareRecipient(product, admin);
  const send = (key = randomUUID()) =>
    product.call('send-message', {
      token: admin.token,
      at,
      headers: { 'idempotency-key': key },
      body: { contactId, content: 'Hello' },
    });
  const key = randomUUID();
  const responses = [await send(key), await send(), await send()];
  expect(responses.map((response) => [response.status, ...announced(response, 'texts')])).toEqual([
    [201, '"texts";q=2;w=86400', '"texts";r=1;t=43200'],
    [201, '"texts";q=2;w=86400', '"texts";r=0;t=43200'],
    [429, '"texts";q=2;w=86400', '"texts";r=0;t=43200'],
  ]);
  expect(responses[2]?.headers['retry-after']).toBe('43200');
  const repeated = await send(key);
  expect([repeated.status, repeated.headers.ratelimit]).toEqual([201, undefined]);
});

test('An invitation says how many the organization has left, and what others sent to the address only once it is refused', async () => {
  const email = `${randomUUID()}@example.com`;
  const inviters = await Promise.all(Array.from({ length: 6 }, () => product.newOrganization()));
  const responses: ApiResponse[] = [];
  for (const inviter of inviters) {
    responses.push(await invite(inviter, { email }));
  }
  expect(responses[0]?.headers['ratelimit-policy']).toBe('"invitations";q=10;w=86400');
  expect(responses.map((response) => announced(response, 'invitations')[1])).toEqual([
    ...Array.from({ length: 5 }, () => '"invitations";r=9;t=86400'),
    '"invitations";r=10',
  ]);
  const refused = announced(responses[5] as ApiResponse, 'invitations-recipient')[1];
  expect([responses[5]?.status, refused]).toEqual([
    429,
    `"invitations-recipient";r=0;t=${responses[5]?.headers['retry-after']}`,
  ]);
});

test('The board says how much the user may still read', async () => {
  const { headers } = await product.call('list-contacts-by-stage', { token: admin.token, body: {} });
  expect(headers['ratelimit-policy']).toBe('"reads";q=30000;qu="read-units";w=500');
  const [, left, seconds] = /^"reads";r=(\d+);t=(\d+)$/.exec(headers.ratelimit ?? '') ?? [];
  expect(Number(left)).toBeLessThan(30_000);
  expect(Number(left)).toBeGreaterThan(29_000);
  expect(Number(seconds)).toBeGreaterThan(0);
});

test('A new API key says how many more the organization may have', async () => {
  const own = await product.newOrganization();
  await newApiKey(product, own);
  const second = await product.call('create-api-key', {
    token: own.token,
    body: { name: 'Program', access: 'read' },
  });
  expect(announced(second, 'api-keys')).toEqual(['"api-keys";q=100', '"api-keys";r=98']);
});

test('Prepared uploads say how many bytes are left of the day', async () => {
  const path = { organizationId: admin.organizationId };
  await arrange(
    product.call('update-text-settings', { token: superadmin.token, path, body: { approved: true } }),
  );
  const response = await product.call('create-uploads', {
    token: admin.token,
    at: new Date('2026-05-01T23:00:00.000Z'),
    body: { files: [{ name: 'a.txt', type: 'text/plain', size: 1 }] },
  });
  const all = 100 * 1024 ** 3;
  expect([response.status, ...announced(response, 'uploaded-bytes')]).toEqual([
    200,
    `"uploaded-bytes";q=${all};qu="content-bytes";w=86400`,
    `"uploaded-bytes";r=${all - 25 * 1024 ** 2};t=3600`,
  ]);
});

test('A response that draws on no limit announces none', async () => {
  const { status, headers } = await product.call('list-templates', { token: admin.token });
  expect([status, headers['ratelimit-policy'], headers.ratelimit]).toEqual([200, undefined, undefined]);
});
