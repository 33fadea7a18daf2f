import { beforeEach, expect, test } from 'vitest';
import { type SigningSecretStore, signingKeys } from '../../shared/kernel/auth/signing-secret.ts';
import { tokenSigner, tokenVerifier } from '../../shared/kernel/auth/tokens.ts';
import { after, minute } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { deployKeys, type SecretInMemory, secretInMemory } from './signing-secrets.ts';

const product = await setUpProduct();
const start = new Date();

/** What a deployment does with the keys: it makes them, and gives the public ones to the authorizer. */
async function deploy(store: SigningSecretStore, generation: number, trustedFrom = 1) {
  const { publicKeys, fingerprint } = await deployKeys(store, generation, { at: start, trustedFrom });
  const verifier = tokenVerifier(publicKeys);
  product.authorizerProviders.tokens = () => verifier;
  return { publicKeys, fingerprint };
}

/** From now on one process with these keys logs people in. */
function startProcess(store: SigningSecretStore): void {
  const signer = tokenSigner(signingKeys(store));
  product.providers.tokens = () => signer;
}

/** When every process that has read its keys by now reads them again. */
const inFiveMinutes = () => after(new Date(), 5 * minute);

const opens = async (token: string, at = start) =>
  (await product.call('list-pipelines', { token, at })).status;

async function logIn(email: string, at = start): Promise<string> {
  const { body } = await product.call('login', { body: { email, password }, at });
  return body.token;
}

let secret: SecretInMemory;
beforeEach(async () => {
  secret = secretInMemory();
  await deploy(secret, 1);
  startProcess(secret);
});

test('After keys are revoked, neither an older token nor one that a thief makes opens anything', async () => {
  const person = await product.newOrganization();
  const stolen = await secret.read();
  const thief = tokenSigner(signingKeys({ read: async () => stolen }));
  const { userId, organizationId } = person;
  const expiresAt = start.getTime() / 1_000 + 86_400;
  const made = await thief.accessToken(
    { userId, organizationId, role: 'SUPERADMIN', expiresAt: Math.floor(expiresAt) },
    start,
  );
  expect([await opens(person.token), await opens(made)]).toEqual([200, 200]);

  await deploy(secret, 2, 2);
  expect([await opens(person.token), await opens(made)]).toEqual([401, 401]);
});

test('After keys are revoked, a login in a process of the deployment opens at once, and in a warm one within five minutes', async () => {
  const person = await product.newOrganization();
  await deploy(secret, 2, 2);
  const later = inFiveMinutes();

  expect(await opens(await logIn(person.email, later), later)).toBe(200);
  startProcess(secret);
  expect(await opens(await logIn(person.email))).toBe(200);
});

test('After keys are revoked, no session goes on: whoever stole them could have made its refresh token', async () => {
  const person = await product.newOrganization();
  const refresh = (at: Date) => product.call('refresh', { body: { refreshToken: person.refreshToken }, at });
  await deploy(secret, 2, 2);

  expect((await refresh(inFiveMinutes())).status).toBe(401);
});

test('A rotation alone ends nothing: older tokens and sessions stay good', async () => {
  const person = await product.newOrganization();
  await deploy(secret, 2);
  const later = inFiveMinutes();

  expect(await opens(person.token, later)).toBe(200);
  const refreshed = await product.call('refresh', { body: { refreshToken: person.refreshToken }, at: later });
  expect(refreshed.status).toBe(200);
});

test('Only keys of lower generations are revoked: a key that was rotated in since stays', async () => {
  const one = (await secret.read())?.keys[0]?.jwk.kid;
  await deploy(secret, 2);
  await deploy(secret, 3);
  const { publicKeys } = await deploy(secret, 3, 2);

  expect(publicKeys.keys).toHaveLength(2);
  expect(publicKeys.keys.map(({ kid }) => kid)).not.toContain(one);
});

test('Revoked keys do not come back when the deployment is repeated, rolled back or followed by one that says nothing of them', async () => {
  const { publicKeys, fingerprint } = await deploy(secret, 2, 2);
  const stored = await secret.read();

  for (const [generation, trustedFrom] of [
    [2, 2],
    [1, 1],
    [2, 1],
  ] as const) {
    expect(await deploy(secret, generation, trustedFrom)).toEqual({ publicKeys, fingerprint });
  }
  expect(await secret.read()).toEqual(stored);
});

test('The fingerprint changes with every rotation, and when keys are revoked', async () => {
  const all = [await deploy(secret, 1), await deploy(secret, 2), await deploy(secret, 2, 2)];

  expect(new Set(all.map(({ fingerprint }) => fingerprint)).size).toBe(3);
});

test('Keys are never all revoked: a generation that is trusted but not made is refused, and nothing changes', async () => {
  const before = await secret.read();

  await expect(deploy(secret, 1, 2)).rejects.toThrow('TrustedFrom is 2, but Generation is only 1.');
  expect(await secret.read()).toEqual(before);
});

test('A process that cannot read its keys again goes on with those it has, and takes the new ones afterwards', async () => {
  const person = await product.newOrganization();
  secret.isDown = true;
  const then = inFiveMinutes();
  const later = after(then, 5 * minute);
  expect(await opens(await logIn(person.email, then), then)).toBe(200);

  secret.isDown = false;
  await deploy(secret, 2, 2);
  expect(await opens(await logIn(person.email, later), later)).toBe(200);
});
