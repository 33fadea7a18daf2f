import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { bundleForHere } from '../../infra/bundle/bundle.ts';
import { packageForLambda } from '../../infra/bundle/package-for-lambda.ts';
import { planFunctions, portsOfAll } from '../../infra/function-plan.ts';
import { loadOperations } from '../../infra/registry.ts';
import { functionBundles } from '../harness/assembly.ts';
import { startTestDatabase } from '../harness/database.ts';

const registered = await loadOperations();
const functions = planFunctions(registered);
const hashing = functions
  .filter((plan) => portsOfAll(plan).some(({ name }) => name === 'passwords'))
  .map(({ name }) => name);

const bundles = await functionBundles();
const folder = await mkdtemp(join(tmpdir(), 'switchboard-native-'));
const database = await startTestDatabase();
vi.stubEnv('TABLE_NAME', database.tableName);
vi.stubEnv('TRIAL_POLICY', 'open');
vi.stubEnv('SIGNING_SECRET_ARN', 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:signing');
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

const nativeFile = 'argon2.linux-arm64-gnu.node';

/** Whether this machine has the file for Lambda, or can fetch it. */
const hasNativeFile = await packageForLambda('@node-rs/argon2-linux-arm64-gnu').then(
  () => true,
  () => false,
);

const nativeFilesOf = async (name: string) =>
  (await readdir(join(bundles, name))).filter((file) => file.endsWith('.node'));

test.skipIf(!hasNativeFile)(
  'A native file for password hashes is in the bundles of the functions that hash, for the processor that they run on',
  async () => {
    expect(hashing).toEqual(expect.arrayContaining(['login', 'register']));
    for (const name of hashing) {
      expect(await nativeFilesOf(name)).toEqual([nativeFile]);
      expect(await elfHeader(join(bundles, name, nativeFile))).toEqual({
        magic: '\x7fELF',
        bits: 64,
        isLittleEndian: true,
        machine: 0xb7, // AArch64
      });
    }
  },
);

test('A native file for password hashes is in no other bundle', async () => {
  const others = functions.map(({ name }) => name).filter((name) => !hashing.includes(name));
  const files = await Promise.all(others.map(nativeFilesOf));
  expect(others.length).toBeGreaterThan(90);
  expect(files.flat()).toEqual([]);
});

/** Source: System V ABI, chapter 4, "ELF Header". */
async function elfHeader(path: string) {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(20), 0, 20, 0);
  return {
    magic: buffer.toString('latin1', 0, 4),
    bits: buffer[4] === 2 ? 64 : 32,
    isLittleEndian: buffer[5] === 1,
    machine: buffer.readUInt16LE(18),
  };
}

/** Logs in twice with the function in this folder, as somebody unknown. Resolves with the statuses and what the log warns of. */
async function loginsWith(code: string) {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const { handler } = await import(pathToFileURL(join(code, 'index.mjs')).href);
    const event = () => ({
      rawPath: '/api/auth/login',
      headers: {},
      // Another each time, because the throttle remembers.
      body: JSON.stringify({ email: `${randomUUID()}@example.com`, password: 'correct horse' }),
      requestContext: {
        requestId: 'request-1',
        http: { method: 'POST', path: '/api/auth/login', sourceIp: '192.0.2.1' },
      },
    });
    const statuses = [(await handler(event(), {})).statusCode, (await handler(event(), {})).statusCode];
    const lines = printed.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
    return { statuses, warnings: lines.filter(({ level }) => level === 'warn') };
  } finally {
    printed.mockRestore();
  }
}

/** The bundle of `login` for Lambda, with other content in its native file. */
async function loginWith(content: 'damaged' | 'of this machine'): Promise<string> {
  const code = join(folder, content);
  await cp(join(bundles, 'login'), code, { recursive: true });
  if (content === 'damaged') {
    await writeFile(join(code, nativeFile), 'not native');
  } else {
    const require = createRequire(import.meta.url);
    require('@node-rs/argon2');
    const loaded = Object.keys(require.cache).find((path) => /argon2[^/\\]*\.node$/.test(path)) ?? '';
    await cp(loaded, join(code, nativeFile));
  }
  return code;
}

test('A native file for password hashes is loaded from the folder of the bundle', async () => {
  expect(await loginsWith(await loginWith('of this machine'))).toEqual({
    statuses: [401, 401],
    warnings: [],
  });
});

test('A native file for password hashes that cannot be loaded leaves hashing to Node.js, which the log says once', async () => {
  expect(await loginsWith(await loginWith('damaged'))).toEqual({
    statuses: [401, 401],
    warnings: [
      {
        timestamp: expect.any(String),
        level: 'warn',
        message: expect.stringMatching(/^The native file for password hashes cannot be loaded\./),
        cause: expect.stringContaining(nativeFile),
      },
    ],
  });
});

test('A native file for password hashes is loaded from the installed package when a function runs on this machine', async () => {
  const login = functions.filter(({ name }) => name === 'login');
  await bundleForHere(login, registered, join(folder, 'here'));
  expect(await loginsWith(join(folder, 'here/login'))).toEqual({ statuses: [401, 401], warnings: [] });
});
