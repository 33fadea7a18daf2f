import { expect, test } from 'vitest';
import { loadNativeArgon2id, nativeOrNodeArgon2id, nodeArgon2id } from '../../shared/kernel/auth/argon2id.ts';
import { argon2Passwords } from '../../shared/kernel/auth/passwords.ts';

const passwords = argon2Passwords();

/** Each alone, so that none hides behind the other. */
const implementations = { native: await loadNativeArgon2id(), node: nodeArgon2id };

test.each([
  ['native', 'node'],
  ['node', 'native'],
] as const)('a password hashed by the %s implementation is verified by that of %s', async (one, other) => {
  const odd = ['', 'smørbrød 🙂 \u0000', '\ud800 alone', 'x'.repeat(1024)];
  const costs = [
    [undefined, odd],
    [{ memory: 19_456, passes: 2, parallelism: 2 }, []],
    [{ memory: 256, passes: 1, parallelism: 1 }, odd],
  ] as const;
  for (const [cost, more] of costs) {
    const [hashing, verifying] = [one, other].map((name) => argon2Passwords(cost, implementations[name]));
    for (const password of ['correct horse', ...more]) {
      const hash = (await hashing?.hash(password)) ?? '';
      expect(await verifying?.verify(password, hash)).toEqual({ matches: true, outdated: false });
      expect(await verifying?.verify(`${password}.`, hash)).toEqual({ matches: false, outdated: false });
    }
  }
});

test('A password has the same tag by both implementations, whatever the lengths of salt and tag', async () => {
  const message = Buffer.from('correct horse');
  for (const [saltLength, tagLength] of [
    [8, 4],
    [16, 32],
    [64, 16],
    [33, 64],
    [16, 65],
    [16, 512],
  ] as const) {
    const nonce = Buffer.alloc(saltLength, tagLength);
    const parameters = { message, nonce, memory: 64, passes: 3, parallelism: 2, tagLength };
    const [native, node] = await Promise.all([
      implementations.native(parameters),
      implementations.node(parameters),
    ]);
    expect(native).toHaveLength(tagLength);
    expect(native).toEqual(node);
  }
});

test('A password is hashed by Node.js where the native file cannot be loaded, which the log says once', async () => {
  const lines: Record<string, unknown>[] = [];
  const derive = nativeOrNodeArgon2id(Promise.reject(new Error('invalid ELF header')), (line) =>
    lines.push(line),
  );
  const fallback = argon2Passwords(undefined, derive);
  const [one, two] = await Promise.all([fallback.hash('correct horse'), fallback.hash('correct horse')]);
  await fallback.verifyNothing('correct horse');

  expect(await passwords.verify('correct horse', one)).toEqual({ matches: true, outdated: false });
  expect(await fallback.verify('correct horse', two)).toEqual({ matches: true, outdated: false });
  expect(lines).toEqual([
    {
      level: 'warn',
      message: expect.stringMatching(/^The native file for password hashes cannot be loaded\./),
      cause: 'invalid ELF header',
    },
  ]);
});

test('A password is verified by its own hash alone', async () => {
  const hash = await passwords.hash('correct horse');

  expect(await passwords.verify('correct horse', hash)).toEqual({ matches: true, outdated: false });
  expect(await passwords.verify('Correct horse', hash)).toEqual({ matches: false, outdated: false });
  expect(await passwords.verify('', hash)).toEqual({ matches: false, outdated: false });
});

test('A password is hashed with the recommended cost and another salt each time', async () => {
  const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')]);

  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(one).not.toBe(two);
});

test('A password hashed elsewhere as a PHC string is verified by both implementations', async () => {
  // Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32
  const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

  for (const derive of Object.values(implementations)) {
    const both = argon2Passwords(undefined, derive);
    expect(await both.verify('password', reference)).toEqual({ matches: true, outdated: true });
    expect(await both.verify('passwort', reference)).toEqual({ matches: false, outdated: false });
  }
});

test('A password whose stored hash is damaged is an error, not a wrong password', async () => {
  await expect(passwords.verify('password', '$2b$10$abc')).rejects.toThrow('not an argon2id PHC string');
});

test('A password is the same however its characters are composed', async () => {
  const hash = await passwords.hash('smørbrød é');

  expect(await passwords.verify('smørbrød é'.normalize('NFD'), hash)).toMatchObject({ matches: true });
  expect(await passwords.verify('ｓmørbrød é', hash)).toMatchObject({ matches: true });
});

test('A password of an unknown account takes the work of one that is wrong', async () => {
  const work: object[] = [];
  const counted = argon2Passwords(undefined, async ({ message, nonce, ...cost }) => {
    work.push({ ...cost, message: String(message), nonce: nonce.length });
    return Buffer.alloc(cost.tagLength);
  });
  await counted.verify('wrong', await passwords.hash('correct horse'));
  await counted.verifyNothing('wrong');

  expect(work).toHaveLength(2);
  expect(work[1]).toEqual(work[0]);
});
