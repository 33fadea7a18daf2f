import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { packageForLambda } from '../../infra/bundle/package-for-lambda.ts';

const run = promisify(execFile);

/** A package that npm refuses on every machine but one that does not exist. */
const name = '@scope/native';
const manifest = { name, version: '1.2.3', os: ['linux'], cpu: ['z80'], files: ['file.node'] };

let folder: string;
let tarball: Buffer;
let integrity: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-registry-'));
  const source = join(folder, 'source');
  await mkdir(source);
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(source, 'file.node'), 'native');
  await run('npm', ['pack', '--silent'], { cwd: source, shell: process.platform === 'win32' });
  tarball = await readFile(join(source, 'scope-native-1.2.3.tgz'));
  integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let asked: string[];
let stopRegistry: () => Promise<void>;
let root: string;
beforeEach(async () => {
  asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { port } = server.address() as AddressInfo;
    const dist = { integrity, tarball: `http://127.0.0.1:${port}/native.tgz` };
    const versions = { [manifest.version]: { ...manifest, dist } };
    response.end(request.url?.endsWith('.tgz') ? tarball : JSON.stringify({ name, versions }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stopRegistry = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  root = await mkdtemp(join(folder, 'project-'));
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  vi.stubEnv('npm_config_cache', join(root, 'cache'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stopRegistry();
});

async function lock(bytes = integrity, version = manifest.version): Promise<void> {
  const packages = { [`node_modules/${name}`]: { version, integrity: bytes, cpu: manifest.cpu } };
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages }));
}

test('A package for Lambda is fetched on a machine of another kind, once', async () => {
  await lock();
  const [one, two] = await Promise.all([packageForLambda(name, root), packageForLambda(name, root)]);
  expect(two).toBe(one);
  expect(await readFile(join(one, 'file.node'), 'utf8')).toBe('native');

  const before = asked.length;
  expect(await packageForLambda(name, root)).toBe(one);
  expect(asked).toHaveLength(before);
});

test('A package for Lambda that npm has installed is used as it is', async () => {
  await lock();
  const installed = join(root, 'node_modules', name);
  await cp(join(folder, 'source'), installed, { recursive: true });
  expect(await packageForLambda(name, root)).toBe(installed);
  expect(asked).toEqual([]);
});

test('A package for Lambda that npm has installed in another version is not used', async () => {
  await lock();
  const installed = join(root, 'node_modules', name);
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'package.json'), JSON.stringify({ ...manifest, version: '1.0.0' }));
  expect(await packageForLambda(name, root)).not.toBe(installed);
});

test('A package for Lambda is refused when its bytes are not the locked ones', async () => {
  await lock(`sha512-${createHash('sha512').update('other').digest('base64')}`);
  await expect(packageForLambda(name, root)).rejects.toThrow(/@scope\/native 1\.2\.3.*\n.*EINTEGRITY/);
});

test('A package for Lambda that the registry cannot give is an error that says what to do', async () => {
  await lock();
  await stopRegistry();
  await expect(packageForLambda(name, root)).rejects.toThrow(
    /^@scope\/native 1\.2\.3, which functions need on Lambda, cannot be fetched\. Run this once with access to the npm registry\. npm said:\n.*ECONNREFUSED/,
  );
});

test('A package for Lambda that the lock does not name is an error', async () => {
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages: {} }));
  await expect(packageForLambda(name, root)).rejects.toThrow('package-lock.json does not name @scope/native');
});

test('A package for Lambda that the lock names without integrity is never installed', async () => {
  const packages = { [`node_modules/${name}`]: { version: manifest.version } };
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages }));
  await expect(packageForLambda(name, root)).rejects.toThrow(
    'package-lock.json has no integrity of @scope/native',
  );
  expect(asked).toEqual([]);
});
