import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSigningSecret, signingKeys } from '../../shared/auth/signing-secret.ts';
import { tokenSigner } from '../../shared/auth/tokens.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import type { Call } from '../harness/product.ts';
import { startWorld, type World } from '../harness/world.ts';
import { operationsWithRows } from './operations.ts';

const bearer = (await operationsWithRows()).filter(({ operation }) => operation.minimumRole !== 'anyone');

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600;
const claims = () => ({
  userId: world.admin.userId,
  organizationId: world.admin.organizationId,
  role: 'SUPERADMIN' as const,
});

/** Tokens that must open nothing, by what is wrong with them. */
const badTokens: Record<string, () => Promise<string> | string> = {
  'a token of garbage': () => 'garbage',
  'an empty token': () => '',
  'a token signed by somebody else': async () => {
    const secret = await newSigningSecret(1, new Date());
    const keys = signingKeys({ read: async () => secret, write: async () => undefined });
    return tokenSigner(keys).accessToken({ ...claims(), expiresAt: inAnHour() }, new Date());
  },
  'a token without a signature (alg: none)': () =>
    new UnsecuredJWT({ org: world.admin.organizationId, role: 'SUPERADMIN' })
      .setSubject(world.admin.userId)
      .setIssuer('switchboard')
      .setAudience('switchboard/api')
      .setIssuedAt()
      .setExpirationTime('1h')
      .encode(),
  'a token signed with the public key as an HMAC secret': () => {
    const [key] = world.product.secret.keys;
    return new SignJWT({ org: world.admin.organizationId, role: 'SUPERADMIN' })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key?.jwk.kid ?? '' })
      .setSubject(world.admin.userId)
      .setIssuer('switchboard')
      .setAudience('switchboard/api')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(JSON.stringify(key?.jwk.x).padEnd(32, '.')));
  },
  'a token whose claims were changed': () => {
    const [header, payload = '', signature] = world.rep.token.split('.');
    const changed = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), role: 'SUPERADMIN' };
    return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
  },
  'a socket token': () => world.admin.socketToken,
  'a refresh token': () => world.admin.refreshToken,
};

describe.each(bearer)('$name', ({ name, row }) => {
  // None of the calls gets as far as using it up.
  let unused: Call;
  beforeAll(async () => {
    unused = await row.request(world, world.rep);
  });

  it("without a token gets the gateway's 401", async () => {
    const { status, body } = await world.product.call(name, unused);
    expect({ status, body }).toEqual({ status: 401, body: { message: 'Unauthorized' } });
  });

  it.each(Object.keys(badTokens))('with %s gets a 401', async (kind) => {
    const token = await badTokens[kind]?.();
    const { status, body, headers } = await world.product.call(name, {
      ...unused,
      token,
    });
    expect({ status, body }).toEqual({ status: 401, body: refusals.invalid });
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  it('with an expired token is told that it has expired', async () => {
    const later = new Date(Date.now() + 3_601_000);
    const request = { ...unused, token: world.admin.token, at: later };
    const { status, body } = await world.product.call(name, request);
    expect({ status, body }).toEqual({ status: 401, body: refusals.expired });
  });

  it('with another scheme than Bearer gets a 401', async () => {
    const request = {
      ...unused,
      headers: { authorization: `Basic ${world.admin.token}` },
    };
    const { status, body } = await world.product.call(name, request);
    expect({ status, body }).toEqual({ status: 401, body: refusals.invalid });
  });
});
