import { SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { newSigningSecret, signingKeys } from '../../shared/kernel/auth/signing-secret.ts';
import { tokenSigner } from '../../shared/kernel/auth/tokens.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { outcome } from '../harness/world.ts';
import { operationsWithRows } from './operations.ts';

const bearer = (await operationsWithRows()).filter(({ operation }) => operation.minimumRole !== 'anyone');
const world = await setUpWorld();
const { product, admin, rep } = world;

const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600;
const claims = () => ({
  userId: admin.userId,
  organizationId: admin.organizationId,
  role: 'SUPERADMIN' as const,
});

/** Tokens that must open nothing, by what is wrong with them. */
const badTokens: Record<string, () => Promise<string> | string> = {
  'a token of garbage': () => 'garbage',
  'an empty token': () => '',
  'a token signed by somebody else': async () => {
    const secret = await newSigningSecret(1, new Date());
    const keys = signingKeys({ read: async () => secret });
    return tokenSigner(keys).accessToken({ ...claims(), expiresAt: inAnHour() }, new Date());
  },
  'a token without a signature (alg: none)': () =>
    new UnsecuredJWT({ org: admin.organizationId, role: 'SUPERADMIN' })
      .setSubject(admin.userId)
      .setIssuer('switchboard')
      .setAudience('switchboard/api')
      .setIssuedAt()
      .setExpirationTime('1h')
      .encode(),
  'a token signed with the public key as an HMAC secret': () => {
    const [key] = product.secret.keys;
    return new SignJWT({ org: admin.organizationId, role: 'SUPERADMIN' })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key?.jwk.kid ?? '' })
      .setSubject(admin.userId)
      .setIssuer('switchboard')
      .setAudience('switchboard/api')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(JSON.stringify(key?.jwk.x).padEnd(32, '.')));
  },
  'a token whose claims were changed': () => {
    const [header, payload = '', signature] = rep.token.split('.');
    const changed = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), role: 'SUPERADMIN' };
    return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
  },
  'a socket token': () => admin.socketToken,
  'a refresh token': () => admin.refreshToken,
};

for (const { name, row } of bearer) {
  // None of the calls gets as far as using it up.
  const unused = await row.request(world, rep);

  test(`${name} without a token gets the gateway's 401`, async () => {
    expect(outcome(await product.call(name, unused))).toEqual({
      status: 401,
      body: { message: 'Unauthorized' },
    });
  });

  test.each(Object.keys(badTokens))(`${name} with %s gets a 401`, async (kind) => {
    const token = await badTokens[kind]?.();
    const { status, body, headers } = await product.call(name, { ...unused, token });
    expect({ status, body }).toEqual({ status: 401, body: refusals.invalid });
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  test(`${name} with an expired token is told that it has expired`, async () => {
    const later = new Date(Date.now() + 3_601_000);
    const request = { ...unused, token: admin.token, at: later };
    expect(outcome(await product.call(name, request))).toEqual({ status: 401, body: refusals.expired });
  });

  test(`${name} with another scheme than Bearer gets a 401`, async () => {
    const request = { ...unused, headers: { authorization: `Basic ${admin.token}` } };
    expect(outcome(await product.call(name, request))).toEqual({ status: 401, body: refusals.invalid });
  });
}
