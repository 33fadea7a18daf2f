import { expect, test } from 'vitest';
import type { TokenSigner } from '../../shared/kernel/auth/tokens.ts';
import { factorsClient } from '../auth/factors-client.ts';
import { scope } from '../auth/records.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, outcome } from '../harness/tenants.ts';
import { operationsWithCases } from './operations.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const bearer = (await operationsWithCases()).filter(({ operation }) => operation.minimumRole !== 'anyone');
const open = ['confirm-factor', 'create-factor', 'list-factors'];

const message =
  'Your organization requires a second factor. Set one up with POST /api/auth/factors, confirm it, and refresh the session.';

/** The token of a SUPERADMIN, whom nothing else refuses. */
const signer = product.providers.tokens?.(scope()) as TokenSigner;
const { userId, organizationId } = tenants.superadmin;
const token = await signer.accessToken(
  {
    userId,
    organizationId,
    role: 'SUPERADMIN',
    expiresAt: Math.floor(Date.now() / 1_000) + 600,
    limitedTo: 'factors',
  },
  new Date(),
);

test('Setting up a second factor is all that is open to a session without the one that is required', () => {
  expect(
    bearer
      .filter(({ operation }) => operation.setsUpFactor)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(open);
});

for (const { name, accessCase } of bearer.filter((one) => !open.includes(one.name))) {
  test(`${name} is 403, with what to do, for a session without the second factor that is required`, async () => {
    const { status, body, consumed } = await product.call(name, {
      ...(await accessCase.request(tenants, rep)),
      token,
    });
    expect(status).toBe(403);
    expect(Object.values(body)).toContain(message);
    expect(consumed?.requests ?? 0).toBe(0);
  });
}

test('Registering somebody is 403 for such a session', async () => {
  const body = { email: 'x@example.com', password: 'a teapot of gravel', firstName: 'A', lastName: 'B' };
  expect(outcome(await product.call('register', { token, body }))).toEqual({
    status: 403,
    body: { error: message, code: 'FORBIDDEN' },
  });
});

test('The three that set one up are open to such a session', async () => {
  const { own, list } = factorsClient(product);
  await own({ token });
  expect(await list({ token })).toHaveLength(1);
  expectStatus(await product.call('verify-token', { token }), 200);
});
