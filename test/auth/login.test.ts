import { expect, test } from 'vitest';
import { credentialsKey } from '../../functions/auth/model/credentials.ts';
import { emailDigest } from '../../functions/auth/model/email.ts';
import { argon2Passwords } from '../../shared/kernel/auth/passwords.ts';
import { publicKeySet } from '../../shared/kernel/auth/signing-secret.ts';
import { tokenVerifier } from '../../shared/kernel/auth/tokens.ts';
import { defaultSessionConfig } from '../../shared/organizations/organization.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { changeOrganization, changeUser, identityTable } from './records.ts';

const product = await setUpProduct();
const passwords = argon2Passwords();
product.providers.passwords = () => passwords;

const login = (body: unknown, at?: Date) => product.call('login', { body, ...(at && { at }) });
const refused = { error: 'Invalid email or password', code: 'INVALID_CREDENTIALS' };

test('The response to a right password has tokens, the user and the session configuration', async () => {
  const person = await product.newOrganization();

  const { status, body } = await login({ email: person.email, password });

  expect(status).toBe(200);
  expect(body).toEqual({
    token: expect.any(String),
    refreshToken: expect.any(String),
    socketToken: expect.any(String),
    sessionConfig: defaultSessionConfig,
    user: {
      id: person.userId,
      email: person.email,
      fullName: 'Test Person',
      organizationId: person.organizationId,
      accessRole: 'ADMIN',
      conversationOpenPreference: 'latest',
    },
  });
});

test('A right password gives an access token that lives as long as the organization says, and a socket token for 5 minutes', async () => {
  const person = await product.newOrganization();
  await changeOrganization(product, person.organizationId, {
    sessionConfig: { ...defaultSessionConfig, tokenExpiryHours: 8 },
  });
  const at = new Date();
  const { body } = await login({ email: person.email, password }, at);

  const verifier = tokenVerifier(publicKeySet(product.secret));
  const seconds = Math.floor(at.getTime() / 1_000);
  const [sessionId] = body.refreshToken.split('.');
  const claims = { userId: person.userId, organizationId: person.organizationId, role: 'ADMIN', sessionId };
  expect(await verifier.access(body.token, at)).toEqual({ ...claims, expiresAt: seconds + 8 * 3_600 });
  expect(await verifier.socket(body.socketToken, at)).toEqual({
    ...claims,
    expiresAt: seconds + 300,
    trustedUntil: seconds + 8 * 3_600,
  });
  expect(body.sessionConfig.tokenExpiryHours).toBe(8);
});

test('A right password stores a new hash when the old one was made with other parameters, once', async () => {
  const current = { ...product.providers };
  const old = argon2Passwords({ memory: 4_096, passes: 3, parallelism: 1 });
  product.providers.passwords = () => old;
  const { email } = await product.newOrganization();
  Object.assign(product.providers, current);
  const identity = identityTable(product);
  const hash = async () => (await identity.read(credentialsKey(emailDigest(email))))?.data.passwordHash;
  expect(await hash()).toMatch(/^\$argon2id\$v=19\$m=4096,t=3,p=1\$/);

  const simultaneous = await Promise.all([1, 2, 3].map(() => login({ email, password })));
  const upgraded = await hash();
  const again = await login({ email, password });

  expect(simultaneous.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(upgraded).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(again.status).toBe(200);
  expect(await hash()).toBe(upgraded);
});

test('An unknown address, a wrong password and a disabled user get the same bytes for the same requests to the table, and no session', async () => {
  const admin = await product.newOrganization();
  const disabled = await product.newColleague(admin);
  await changeUser(product, disabled, { disabled: true });
  const attempts = [
    { email: 'nobody@example.com', password },
    { email: admin.email, password: 'wrong password' },
    { email: disabled.email, password },
    { email: 'a#b@example.com', password: '' },
    { email: 'no address at all', password },
  ];

  const responses = await Promise.all(attempts.map((attempt) => login(attempt)));

  for (const { status, body, headers, consumed } of responses) {
    expect({ status, body }).toEqual({ status: 401, body: refused });
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(consumed).toMatchObject({
      requests: responses[0]?.consumed?.requests,
      roundTrips: responses[0]?.consumed?.roundTrips,
      readUnits: responses[0]?.consumed?.readUnits,
      writeUnits: responses[0]?.consumed?.writeUnits,
    });
  }
  const sessions = await product.call('list-sessions', { token: admin.token });
  expect(sessions.body.data).toHaveLength(1);
});
