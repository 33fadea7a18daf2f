import { expect, test } from 'vitest';
import { createSigningSecret, signingKeys } from '../../shared/kernel/auth/signing-secret.ts';
import { tokenSigner } from '../../shared/kernel/auth/tokens.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { outcome } from '../harness/tenants.ts';
import { operationsWithCases } from './operations.ts';

/** Which tokens are not to be trusted, for what reason: test/auth/tokens.test.ts. */

const bearer = (await operationsWithCases()).filter(({ operation }) => operation.minimumRole !== 'anyone');
const tenants = await setUpTenants();
const { product, admin, rep } = tenants;

const strangersKeys = await createSigningSecret(1, new Date());
const { userId, organizationId } = admin;
const forged = await tokenSigner(signingKeys({ read: async () => strangersKeys })).accessToken(
  { userId, organizationId, role: 'SUPERADMIN', expiresAt: Math.floor(Date.now() / 1_000) + 3_600 },
  new Date(),
);

test.each(bearer)(
  "$name gets the gateway's 401 without a token, and one of its own for a token that is forged, for something else or expired",
  async ({ name, accessCase }) => {
    // None of the calls gets as far as using it up.
    const request = await accessCase.request(tenants, rep);
    const without = await product.call(name, request);
    expect(outcome(without)).toEqual({ status: 401, body: { message: 'Unauthorized' } });
    const basic = { authorization: `Basic ${admin.token}` };
    for (const bad of [{ token: forged }, { token: '' }, { token: admin.socketToken }, { headers: basic }]) {
      const response = await product.call(name, { ...request, ...bad });
      expect(outcome(response)).toEqual({ status: 401, body: refusals.invalid });
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
    const later = { token: admin.token, at: new Date(Date.now() + 3_601_000) };
    const expired = await product.call(name, { ...request, ...later });
    expect(outcome(expired)).toEqual({ status: 401, body: refusals.expired });
  },
);
