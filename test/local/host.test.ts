import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startHost } from '../../infra/local/host.ts';
import { fixtureAssembly } from '../harness/assembly.ts';
import { eventually } from '../harness/eventually.ts';
import { synthesizeFixture } from './fixture/app.ts';
import { changedAssembly } from './fixture/changed-assembly.ts';
import { startFixture } from './fixture/running.ts';
import { slowServer } from './fixture/slow-server.ts';

let directory: string;
let assembly: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'host-test-'));
  assembly = await fixtureAssembly();
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rm(directory, { recursive: true, force: true }));

/** For a client of what an environment variable of a function names. */
const clientConfiguration = (environment: Record<string, string>, variable: string) => ({
  endpoint: environment[variable] ?? '',
  region: 'us-east-1',
  credentials: {
    accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
  },
});

test('A function can use every table, bucket, secret, address and response that its environment names', async () => {
  const running = await startFixture();
  const { host } = running;
  const response = await fetch(`${host.url}/store`);
  const { environment } = (await response.json()) as { environment: Record<string, string> };
  expect(environment).toMatchObject({
    TABLE: running.table,
    BUCKET: expect.stringMatching(/^fixturedata-files/),
    ANSWER: `42 for six by nine in ${running.table}`,
    SOCKET_URL: host.socketUrl,
    SOCKET_CALLBACK: `${host.url}/live`,
    AWS_REGION: 'us-east-1',
    AWS_LAMBDA_FUNCTION_NAME: 'fixture-store',
  });
  expect(environment).toEqual(host.functionEnvironment('fixture-store'));

  const s3 = new S3Client({
    ...clientConfiguration(environment, 'AWS_ENDPOINT_URL_S3'),
    forcePathStyle: true,
  });
  await s3.send(new PutObjectCommand({ Bucket: environment.BUCKET, Key: 'a', Body: 'content' }));
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: environment.BUCKET, Key: 'a' }));
  expect(await Body?.transformToString()).toBe('content');

  const secrets = new SecretsManagerClient(
    clientConfiguration(environment, 'AWS_ENDPOINT_URL_SECRETS_MANAGER'),
  );
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: environment.SECRET }));
  expect(SecretString).toHaveLength(32);
  s3.destroy();
  secrets.destroy();
  await running.stop();
});

test('A function of a nested stack is reached by the API of its parent, and knows what the parent knows', async () => {
  const running = await startFixture();
  const response = await fetch(`${running.host.url}/nested`);
  const { environment } = (await response.json()) as { environment: Record<string, string> };
  expect(environment).toMatchObject({
    TABLE: running.table,
    ANSWER: `42 for six by nine in ${running.table}`,
    AWS_LAMBDA_FUNCTION_NAME: 'fixture-nested-store',
  });
  await running.stop();
});

test('A data directory keeps items, objects, secrets and what streams have done from one start to the next', async () => {
  const dataDir = join(directory, 'data');
  const first = await startFixture({ dataDir });
  await first.put('job#kept');
  await eventually(() => first.read('seen#job#kept'));
  const secretOf = async (environment: Record<string, string>) => {
    const secrets = new SecretsManagerClient(
      clientConfiguration(environment, 'AWS_ENDPOINT_URL_SECRETS_MANAGER'),
    );
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: environment.SECRET }));
    secrets.destroy();
    return SecretString;
  };
  const secret = await secretOf(first.host.functionEnvironment('fixture-store'));
  await first.stop();

  const second = await startFixture({ dataDir });
  await second.put('job#new');
  await eventually(() => second.read('seen#job#new'));
  expect((await second.read('seen#job#kept'))?.times?.N).toBe('1');
  expect(await secretOf(second.host.functionEnvironment('fixture-store'))).toBe(secret);
  await second.stop();
});

test('Another assembly takes over without a break: sockets stay open and requests under way end as they began', async () => {
  const running = await startFixture();
  const { host } = running;
  const greeting = async () => (await fetch(`${host.url}/behave/greeting`)).json();
  expect(await greeting()).toEqual({ greeting: 'hello' });
  const socket = new WebSocket(`${host.socketUrl}?token=good`);
  await once(socket, 'open');
  const next = join(directory, 'next');
  await synthesizeFixture({ outdir: next, greeting: 'welcome', added: true });
  expect((await fetch(`${host.url}/added`)).status).toBe(404);
  const other = await slowServer();
  const underWay = fetch(`${host.url}/behave/wait?${other.query}`);
  await other.asked(1);
  await host.reload({ assembly: next });
  expect(await greeting()).toEqual({ greeting: 'welcome' });
  expect((await fetch(`${host.url}/added`)).status).toBe(200);
  other.answer();
  expect((await underWay).status).toBe(200);
  socket.send('{"action":"ping"}');
  expect(String((await once(socket, 'message'))[0])).toBe('{"pong":"ping"}');
  socket.close();
  await running.put('job#after-reload');
  await eventually(() => running.read('seen#job#after-reload'));
  await running.stop();
});

test('Another assembly that cannot be run is refused, and the former one goes on', async () => {
  const running = await startFixture();
  const broken = await changedAssembly(directory, 'FixtureApi', ({ Resources }) => {
    Object.assign(Resources, { Layer: { Type: 'AWS::Lambda::LayerVersion', Properties: {} } });
  });
  await expect(running.host.reload({ assembly: broken })).rejects.toThrow(
    'FixtureApi/Layer (AWS::Lambda::LayerVersion)',
  );
  expect((await fetch(`${running.host.url}/echo`)).status).toBe(200);
  await running.stop();
});

test('A host says that its port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  await expect(startHost({ assembly, port })).rejects.toThrow(`Port ${port} is in use by another program`);
  other.close();
});

test('A host says that there is no assembly', async () => {
  await expect(startHost({ assembly: join(directory, 'nowhere'), port: 0 })).rejects.toThrow(
    /nowhere\/manifest\.json is not a file of a cloud assembly/,
  );
});

test('A host leaves nothing behind when it is stopped', async () => {
  const temporary = await mkdtemp(join(directory, 'tmp-'));
  vi.stubEnv('TMPDIR', temporary);
  const running = await startFixture();
  await fetch(`${running.host.url}/store`, { method: 'POST', body: '{"pk":"a"}' });
  expect(await readdir(temporary)).not.toEqual([]);
  await running.stop();
  expect(await readdir(temporary)).toEqual([]);
  await expect(fetch(running.host.url)).rejects.toThrow();
  await expect(running.read('a')).rejects.toThrow('ECONNREFUSED');
});
