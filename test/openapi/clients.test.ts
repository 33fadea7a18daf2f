import { execFile } from 'node:child_process';
import { copyFile, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { setUpLiveHost } from '../live/fixtures.ts';

const clients = join(projectRoot, 'test/clients');
const run = promisify(execFile);
const node = (...parameters: string[]) => run(process.execPath, parameters);
const folder = await mkdtemp(join(tmpdir(), 'switchboard-clients-'));
const host = await setUpLiveHost();
const document = await host.call('GET /api/openapi.json');
const served = async (file: string) =>
  writeFile(join(folder, file), await (await fetch(`${host.url}/api/${file}`)).text());
/** For each schema, whether the client's type and that of openapi-typescript fit each other both ways, also with all that is optional. */
const comparison = Object.keys(document.components.schemas).map(
  (name) => `same<client.${name}, components['schemas']['${name}']>();`,
);
await Promise.all([
  writeFile(join(folder, 'openapi.json'), JSON.stringify(document)),
  served('client.js'),
  served('client.d.ts'),
  cp(join(projectRoot, 'infra/client/runtime'), join(folder, 'runtime'), { recursive: true }),
  copyFile(join(clients, 'served-client.ts'), join(folder, 'served-client.ts')),
  writeFile(
    join(folder, 'same-types.ts'),
    `import type * as client from './client.js';
    import type { components } from './schema.ts';
    type Whole<T> = T extends object ? { [K in keyof T]-?: Whole<T[K]> } : T;
    type Fits<A, B> = [A] extends [B] ? true : false;
    type All = [true, true, true, true];
    type Same<A, B> = [Fits<A, B>, Fits<B, A>, Fits<Whole<A>, Whole<B>>, Fits<Whole<B>, Whole<A>>] extends All ? [] : [B];
    declare function same<A, B>(...difference: Same<A, B>): void;
    // @ts-expect-error Another type would be found.
    same<client.Contact, client.Reminder>();
    // @ts-expect-error Also one in which a field is optional.
    same<client.Contact, Partial<client.Contact>>();
    // @ts-expect-error Also one that lacks an optional field.
    same<{ a: string; b?: string }, { a: string }>();
    ${comparison.join('\n')}`,
  ),
  writeFile(join(folder, 'package.json'), '{"type": "module"}'),
  symlink(join(projectRoot, 'test/node_modules'), join(folder, 'node_modules')),
  copyFile(join(clients, 'calls.ts'), join(folder, 'calls.ts')),
]);
await Promise.all(
  ['openapi-typescript', 'hey-api', 'orval'].map((generator) =>
    node(join(clients, 'generate.mjs'), generator, join(folder, 'openapi.json'), folder),
  ),
);
afterAll(async () => {
  await rm(folder, { recursive: true });
});

test('Clients generated from the document compile strictly, and let nobody write what the service would refuse', async () => {
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
  };
  const include = ['calls.ts', 'schema.ts', 'hey-api', 'orval', 'served-client.ts', 'same-types.ts'];
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  const compiler = join(clients, 'node_modules/typescript/bin/tsc');
  const { stdout, code } = await node(compiler, '-p', folder, '--listFiles').then(
    (said) => ({ ...said, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );
  const errors = stdout.split('\n').filter((line) => /\berror TS\d/.test(line));
  expect({ errors, code }).toEqual({ errors: [], code: 0 });
  for (const file of [
    'calls.ts',
    'schema.ts',
    'hey-api/sdk.gen.ts',
    'orval/client.ts',
    'client.d.ts',
    'same-types.ts',
  ]) {
    expect(stdout).toContain(join(folder, file));
  }
});

test('Clients generated from the document get from the running product what their types say', async () => {
  const { stdout } = await node(join(folder, 'calls.ts'), host.url);
  expect(JSON.parse(stdout)).toEqual({
    user: 'Grace Hopper',
    stage: 'Contacted',
    created: 'Ada Lovelace',
    read: '+15550101815',
    updated: 'Ada King',
    moved: 'Contacted',
    board: [{ stage: 'Contacted', fullName: 'Ada King', total: 1 }],
    note: 'Grace Hopper',
    reminder: '2099-01-15T09:00:00.000Z',
    reminders: [true],
    workflow: ['trigger'],
    missing: { status: 404, message: 'Contact not found' },
  });
});

test('The client that the host serves has the types of the document, and does what they say', async () => {
  expect(comparison.length).toBeGreaterThan(200);
  const { stdout } = await node(join(folder, 'served-client.ts'), host.url);
  expect(JSON.parse(stdout)).toEqual({
    user: 'Grace Hopper',
    read: 'Ada King',
    board: ['Ada King'],
    notes: ['Call'],
    cursor: null,
    missing: [404, 'GET /api/contacts/nobody was refused with 404: Contact not found'],
  });
});

test('The documents of the running product name its addresses', async () => {
  const openApi = await host.call('GET /api/openapi.json');
  expect(openApi.servers[0].url).toBe(host.url);
  const asyncApi = await host.call('GET /api/asyncapi.json');
  const { protocol, host: address } = asyncApi.servers.live;
  const admin = await host.newOrganization();
  const socket = new WebSocket(
    `${protocol}://${address}${asyncApi.channels.live.address}?token=${admin.socketToken}`,
  );
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('The address of the AsyncAPI document takes no connections'));
  });
  socket.close();
});
