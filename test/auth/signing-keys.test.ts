import type { JSONWebKeySet } from 'jose';
import { expect, test, vi } from 'vitest';
import { startSecrets } from '../../infra/local/secrets.ts';
import type { Argon2id } from '../../shared/kernel/auth/argon2id.ts';
import { argon2Passwords } from '../../shared/kernel/auth/passwords.ts';
import {
  type SigningSecret,
  type SigningSecretStore,
  signingKeys,
} from '../../shared/kernel/auth/signing-secret.ts';
import { tokenSigner, tokenVerifier } from '../../shared/kernel/auth/tokens.ts';
import { hour, after as later, minute, second } from '../../shared/kernel/time.ts';
import { signingSecretStore } from '../../shared/ports/tokens.ts';
import { deployKeys, secretInMemory } from './signing-secrets.ts';

const start = new Date('2026-03-01T12:00:00.000Z');
const claims = {
  userId: 'u',
  organizationId: 'o',
  role: 'ADMIN',
  expiresAt: start.getTime() / 1_000 + 86_400,
} as const;

const kidsOf = ({ keys }: JSONWebKeySet) => keys.map(({ kid }) => kid);

test('A deployment makes a key that signs at once, and publishes no private part', async () => {
  const store = secretInMemory();
  const { publicKeys } = await deployKeys(store, 1, { at: start });

  expect(publicKeys.keys).toEqual([
    {
      kid: expect.any(String),
      alg: 'ES256',
      use: 'sig',
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
    },
  ]);
  const token = await tokenSigner(signingKeys(store)).accessToken(claims, start);
  expect(await tokenVerifier(publicKeys).access(token, start)).toEqual(claims);
});

test.each(['1', '2'])(
  'A deployment of generation %s fails and leaves the secret alone where passwords are hashed wrongly',
  async (generation) => {
    const store = secretInMemory();
    await deployKeys(store, 1, { at: start });
    const before = await store.read();
    const derive: Argon2id = async ({ tagLength }) => Buffer.alloc(tagLength);

    const passwords = argon2Passwords(undefined, derive);
    await expect(deployKeys(store, generation, { passwords })).rejects.toThrow('Password hashes are wrong');
    expect(await store.read()).toEqual(before);
  },
);

test('A deployment of a higher generation adds a key in front and keeps the others, three in all', async () => {
  const store = secretInMemory();
  const all: (string | undefined)[] = [];
  for (const generation of ['1', '2', '3', '4', '7']) {
    const { publicKeys } = await deployKeys(store, generation, {
      at: later(start, Number(generation) * hour),
    });
    all.unshift(publicKeys.keys[0]?.kid);
    expect(kidsOf(publicKeys)).toEqual(all.slice(0, 3));
  }
  expect(new Set(all).size).toBe(5);
  expect((await store.read())?.generation).toBe(7);
});

test.each(['', '0', '-1', '1.5', 'one', 'NaN'])(
  'A deployment of generation "%s" fails and leaves the secret alone',
  async (generation) => {
    const store = secretInMemory();

    await expect(deployKeys(store, generation)).rejects.toThrow('must be a whole number from 1');
    expect(await store.read()).toBeUndefined();
  },
);

test('The resource of signing keys returns less than the 4,096 bytes that CloudFormation takes, after any number of rotations', async () => {
  const store = secretInMemory();
  for (let generation = 1; generation < 10; generation += 1) {
    await deployKeys(store, generation);
  }
  const { output } = await deployKeys(store, 10);
  expect(JSON.stringify(output).length).toBeLessThan(2_048);
});

test('While keys are rotated, every token is accepted by verifiers of the old and of the new deployment', async () => {
  const store = secretInMemory();
  const old = tokenVerifier((await deployKeys(store, 1, { at: start })).publicKeys);
  const running = tokenSigner(signingKeys(store));
  const early = await running.accessToken(claims, start);

  const updated = tokenVerifier((await deployKeys(store, 2, { at: start })).publicKeys);
  const starting = tokenSigner(signingKeys(store));

  for (const at of [start, later(start, 29 * minute)]) {
    for (const signer of [running, starting]) {
      const token = await signer.accessToken(claims, at);
      expect(await old.access(token, at)).toEqual(claims);
      expect(await updated.access(token, at)).toEqual(claims);
    }
  }
  const after = later(start, 30 * minute);
  const token = await starting.accessToken(claims, after);
  expect(await updated.access(token, after)).toEqual(claims);
  expect(await old.access(token, after)).toBe('invalid');
  expect(await updated.access(early, after)).toEqual(claims);
});

test('While keys are rotated, a function that has run since before learns the new key from the first token that names it', async () => {
  const store = secretInMemory();
  await deployKeys(store, 1, { at: start });
  const running = tokenSigner(signingKeys(store));
  await running.accessToken(claims, start);
  await deployKeys(store, 2, { at: start });
  const after = later(start, hour);
  const token = await tokenSigner(signingKeys(store)).accessToken(claims, after);

  expect(await running.access(token, after)).toEqual(claims);
});

test('A process reads the secret once, and again at most every 30 seconds for tokens of unknown keys', async () => {
  const store = secretInMemory();
  const other = secretInMemory();
  await Promise.all([deployKeys(store, 1, { at: start }), deployKeys(other, 1, { at: start })]);
  const foreign = await tokenSigner(signingKeys(other)).accessToken(claims, start);
  store.reads = 0;
  const signer = tokenSigner(signingKeys(store));

  await Promise.all(Array.from({ length: 20 }, () => signer.accessToken(claims, start)));
  expect(store.reads).toBe(1);
  for (let n = 0; n < 20; n += 1) {
    expect(await signer.access(foreign, start)).toBe('invalid');
  }
  expect(store.reads).toBe(2);
  await signer.access(foreign, later(start, 30 * second));
  expect(store.reads).toBe(3);
});

test('A process that could not read the secret tries again for the next call', async () => {
  const store = secretInMemory();
  await deployKeys(store, 1, { at: start });
  store.isDown = true;
  const signer = tokenSigner(signingKeys(store));
  await expect(signer.accessToken(claims, start)).rejects.toThrow('Unavailable');

  store.isDown = false;
  expect(await signer.access(await signer.accessToken(claims, start), start)).toEqual(claims);
});

test('A process that runs before any key was made says what has not happened', async () => {
  const signer = tokenSigner(signingKeys(secretInMemory()));

  await expect(signer.accessToken(claims, start)).rejects.toThrow('make-signing-keys has not run');
});

const arn = 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:signing-AbCdEf';

/** The store over a new secret. */
async function withSecret(use: (store: SigningSecretStore) => Promise<void>): Promise<void> {
  const secrets = await startSecrets({
    arns: [arn],
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', secrets.endpoint);
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
    vi.stubEnv(name, 'local');
  }
  try {
    await use(signingSecretStore({ SIGNING_SECRET_ARN: arn }));
  } finally {
    vi.unstubAllEnvs();
    await secrets.stop();
  }
}

test('The secret in Secrets Manager is taken for not made yet as long as it holds the random text of its creation', () =>
  withSecret(async (store) => {
    expect(await store.read()).toBeUndefined();
    const { publicKeys } = await deployKeys(store, 1, { at: start });
    expect((await store.read())?.keys[0]?.jwk.kid).toBe(publicKeys.keys[0]?.kid);
    const rotated = await deployKeys(store, 2, { at: start });
    expect(kidsOf(rotated.publicKeys)).toHaveLength(2);
    expect((await store.read())?.generation).toBe(2);
  }));

test('The secret in Secrets Manager is never overwritten when it is damaged', () =>
  withSecret(async (store) => {
    await store.change(() => ({ generation: 3, keys: [], refreshKey: 'a key' }));
    await expect(store.read()).rejects.toThrow();
    await expect(deployKeys(store, 4)).rejects.toThrow();
    await expect(store.read()).rejects.toThrow();
  }));

test('Of two writers who have read the same secret, the first one writes, and the other is told', () =>
  withSecret(async (store) => {
    await deployKeys(store, 1, { at: start });
    const late = store.change(async (existing) => {
      await deployKeys(store, 2, { at: start });
      return { ...(existing as SigningSecret), generation: 3 };
    });
    await expect(late).rejects.toThrow('another value');
    expect((await store.read())?.generation).toBe(2);
  }));
