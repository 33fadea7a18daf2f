import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { publicKeySet, signingKey } from '../../shared/kernel/auth/signing-secret.ts';
import { type TokenSigner, tokenVerifier } from '../../shared/kernel/auth/tokens.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { outcome } from '../harness/tenants.ts';
import { scope } from './records.ts';

const now = new Date();
const seconds = Math.floor(now.getTime() / 1_000);

const product = await setUpProduct();
const signer = product.providers.tokens?.(scope()) as TokenSigner;
const person = await product.newOrganization();
const { userId, organizationId, role } = person;
const claims = { userId, organizationId, role, expiresAt: seconds + 3_600 };

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token like the service's own but for what is changed, signed with its own key unless another is given. */
async function like(
  changes: { header?: object; payload?: object; key?: Parameters<SignJWT['sign']>[0] } = {},
) {
  const { jwk } = signingKey(product.secret, now);
  const { userId, organizationId, role, expiresAt } = claims;
  return new SignJWT({
    sub: userId,
    org: organizationId,
    role,
    iss: 'switchboard',
    aud: 'switchboard/api',
    iat: seconds,
    exp: expiresAt,
    ...changes.payload,
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid, ...changes.header })
    .sign(changes.key ?? jwk);
}

/** Tokens that are not to be trusted, by what is wrong with them. */
async function untrusted(): Promise<Record<string, string>> {
  const genuine = await signer.accessToken(claims, now);
  const [header = '', payload = '', signature = ''] = genuine.split('.');
  const { kid } = signingKey(product.secret, now).jwk;
  const foreign = (await generateKeyPair('ES256', { extractable: true })).privateKey;
  const publicText = JSON.stringify(publicKeySet(product.secret).keys[0]);
  return {
    'without a signature (alg none)': new UnsecuredJWT({
      ...JSON.parse(Buffer.from(payload, 'base64url').toString()),
    }).encode(),
    'with alg none in the real header': `${part({ alg: 'none', typ: 'at+jwt', kid })}.${payload}.`,
    'with alg None': `${part({ alg: 'None', typ: 'at+jwt', kid })}.${payload}.${signature}`,
    'with its signature taken off': `${header}.${payload}.`,
    'with an all-zero signature': `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
    'with a changed role': `${header}.${part({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), role: 'SUPERADMIN' })}.${signature}`,
    'signed with another key of the same name': await like({ key: foreign }),
    'signed with a key that it brings along': await like({
      key: foreign,
      header: { jwk: await exportJWK((await generateKeyPair('ES256', { extractable: true })).publicKey) },
    }),
    'signed with an unknown key': await like({ key: foreign, header: { kid: 'unknown' } }),
    'signed with the public key as an HMAC secret': await like({
      key: new TextEncoder().encode(publicText),
      header: { alg: 'HS256' },
    }),
    'for sockets': person.socketToken,
    'of the kind for sockets': await like({ header: { typ: 'socket+jwt' } }),
    'without a kind': await like({ header: { typ: undefined } }),
    'of the plain kind': await like({ header: { typ: 'JWT' } }),
    'for another audience': await like({ payload: { aud: 'switchboard/socket' } }),
    'of another issuer': await like({ payload: { iss: 'somebody' } }),
    'without an end': await like({ payload: { exp: undefined } }),
    'with an unknown role': await like({ payload: { role: 'ROOT' } }),
    'without an organization': await like({ payload: { org: undefined } }),
    'without a user': await like({ payload: { sub: undefined } }),
    'with an end that is not a number': `${header}.${part({ exp: 'never' })}.${signature}`,
    'for refreshing': person.refreshToken,
    'of garbage': 'garbage',
    'of dots': '..',
    'of one million characters': 'a.'.repeat(500_000),
  };
}

test('A token like the service’s own is accepted: the tests below change one thing each', async () => {
  expect((await product.call('verify-token', { token: await like() })).status).toBe(200);
});

const refused = { error: 'Invalid or expired token' };

test('verify-token confirms a valid access token', async () => {
  for (const authorization of [
    `Bearer ${person.token}`,
    `bearer ${person.token}`,
    `Bearer  ${person.token} `,
  ]) {
    expect(outcome(await product.call('verify-token', { headers: { authorization } }))).toEqual({
      status: 200,
      body: { message: 'Token is valid' },
    });
  }
});

test('verify-token returns exactly one body for every other token, and for none at all', async () => {
  const expired = await signer.accessToken({ ...claims, expiresAt: seconds - 1 }, now);
  const headers: Record<string, Record<string, string>> = {
    'no header': {},
    'an empty header': { authorization: '' },
    'another scheme': { authorization: `Basic ${person.token}` },
    'no scheme': { authorization: person.token },
    'no blank': { authorization: `Bearer${person.token}` },
    'two tokens': { authorization: `Bearer ${person.token}, Bearer ${person.token}` },
    expired: { authorization: `Bearer ${expired}` },
    ...Object.fromEntries(
      Object.entries(await untrusted()).map(([what, token]) => [what, { authorization: `Bearer ${token}` }]),
    ),
  };
  for (const [what, sent] of Object.entries(headers)) {
    const { status, body } = await product.call('verify-token', { headers: sent });
    expect({ what, status, body }).toEqual({ what, status: 401, body: refused });
  }
});

test('verify-token accepts a token until the second in which it ends', async () => {
  const token = await signer.accessToken(claims, now);
  const end = claims.expiresAt * 1_000;

  expect((await product.call('verify-token', { token, at: new Date(end - 1) })).status).toBe(200);
  expect((await product.call('verify-token', { token, at: new Date(end) })).status).toBe(401);
});

const call = (token: string) => product.call('list-pipelines', { token });

test('An operation behind the authorizer refuses every token that is not to be trusted with the same 401', async () => {
  expect((await call(person.token)).status).toBe(200);
  for (const [what, token] of Object.entries(await untrusted())) {
    const { status, body, headers, consumed } = await call(token);
    expect({ what, status, body, requests: consumed?.requests }).toEqual({
      what,
      status: 401,
      body: { error: 'Invalid or expired token', message: expect.any(String) },
      requests: 0,
    });
    expect(headers['www-authenticate']).toBe('Bearer');
  }
});

test('A socket token lives 5 minutes, but no longer than the access token beside it', async () => {
  const verifier = tokenVerifier(publicKeySet(product.secret));
  for (const [trustedFor, lives] of [
    [3_600, 300],
    [60, 60],
  ] as const) {
    const trustedUntil = seconds + trustedFor;
    const sessionId = '01JD0000000000000000000000';
    const token = await signer.socketToken({ ...claims, trustedUntil, sessionId }, now);
    expect(await verifier.socket(token, now)).toEqual({
      ...claims,
      expiresAt: seconds + lives,
      trustedUntil,
      sessionId,
    });
    expect(await verifier.socket(token, new Date((seconds + lives) * 1_000))).toBe('expired');
  }
});

test('A socket token is not an access token, nor the other way round', async () => {
  expect(await signer.socket(person.token, now)).toBe('invalid');
  expect(await signer.access(person.socketToken, now)).toBe('invalid');
  for (const token of Object.values(await untrusted()).filter((token) => token !== person.socketToken)) {
    expect(await signer.socket(token, now)).toBe('invalid');
  }
});
