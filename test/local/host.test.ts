import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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
import type { Json } from '../harness/json.ts';
import { synthesizeFixture } from './fixture/app.ts';
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

/** A copy of the assembly with one template changed. */
async function assemblyWith(
  stack: string,
  change: (template: { Resources: object }) => void,
): Promise<string> {
  const copy = await mkdtemp(join(directory, 'changed-'));
  await cp(assembly, copy, { recursive: true });
  const file = join(copy, `${stack}.template.json`);
  const template = JSON.parse(await readFile(file, 'utf8'));
  change(template);
  await writeFile(file, JSON.stringify(template));
  return copy;
}

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
  const broken = await assemblyWith('FixtureApi', ({ Resources }) => {
    Object.assign(Resources, { Layer: { Type: 'AWS::Lambda::LayerVersion', Properties: {} } });
  });
  await expect(running.host.reload({ assembly: broken })).rejects.toThrow(
    'FixtureApi/Layer (AWS::Lambda::LayerVersion)',
  );
  expect((await fetch(`${running.host.url}/echo`)).status).toBe(200);
  await running.stop();
});

test('A host says which resource it cannot run, and does not start', async () => {
  const foreign = await assemblyWith('FixtureData', ({ Resources }) => {
    Object.assign(Resources, { Bus: { Type: 'AWS::Events::EventBus', Properties: {} } });
  });
  await expect(startHost({ assembly: foreign, port: 0 })).rejects.toThrow(
    'The local host cannot run these resources: FixtureData/Bus (AWS::Events::EventBus).',
  );
});

const filter = (rule: object) => ({ Filters: [{ Pattern: JSON.stringify({ eventName: [rule] }) }] });

test.each<[string, object, string]>([
  ['Lambda::Function', { Layers: ['arn:aws:lambda:us-east-1:1:layer:x:1'] }, 'does not support layers'],
  [
    'Lambda::EventSourceMapping',
    { FilterCriteria: filter({ exists: true }) },
    'supports only texts and prefixes',
  ],
  ['DynamoDB::Table', { GlobalSecondaryIndexes: [] }, 'does not support secondary indexes'],
  ['SecretsManager::Secret', { GenerateSecretString: { PasswordLength: 40 } }, 'PasswordLength'],
  ['ApiGatewayV2::Integration', { IntegrationType: 'MOCK' }, 'supports only integrations of functions'],
])('A host says which AWS::%s has a property that it cannot run: %j', async (type, properties, problem) => {
  const stack = /^(DynamoDB|SecretsManager)/.test(type) ? 'FixtureData' : 'FixtureApi';
  const changed = await assemblyWith(stack, ({ Resources }) => {
    const resource = Object.values(Resources).find(({ Type }) => Type === `AWS::${type}`);
    Object.assign(resource.Properties, properties);
  });
  const refusal = startHost({ assembly: changed, port: 0 });
  await expect(refusal).rejects.toThrow(
    new RegExp(`^The local host cannot run ${stack}/\\w+ \\(AWS::${type}\\):`),
  );
  await expect(refusal).rejects.toThrow(problem);
});

const integrationOf = (operation: Json) => operation['x-amazon-apigateway-integration'];

test.each<[string, (body: Json) => void, string]>([
  [
    'an integration of something else than a function',
    ({ paths }) => Object.assign(integrationOf(paths['/echo'].get), { type: 'HTTP_PROXY' }),
    'supports only integrations of functions',
  ],
  [
    'a route of any method',
    ({ paths }) => Object.assign(paths, { '/any': { 'x-amazon-apigateway-any-method': paths['/echo'].get } }),
    'does not support routes of any method',
  ],
  [
    'a greedy parameter',
    ({ paths }) => Object.assign(paths, { '/any/{proxy+}': paths['/echo'] }),
    'does not support greedy parameters',
  ],
  [
    'an authorizer that looks at the query string',
    ({ components }) =>
      Object.assign(components.securitySchemes.callers['x-amazon-apigateway-authorizer'], {
        identitySource: '$request.querystring.a',
      }),
    'supports only headers as identity sources',
  ],
])('A host says that it cannot run an HTTP API with %s', async (_, change, problem) => {
  const changed = await assemblyWith('FixtureApi', ({ Resources }) => {
    const api = Object.values<Json>(Resources).find(({ Properties }) => Properties?.Body !== undefined);
    change(api.Properties.Body);
  });
  const refusal = startHost({ assembly: changed, port: 0 });
  await expect(refusal).rejects.toThrow(
    'The local host cannot run FixtureApi/Http (AWS::ApiGatewayV2::Api):',
  );
  await expect(refusal).rejects.toThrow(problem);
});

test('A host says that it cannot run a resource on a condition', async () => {
  const conditional = await assemblyWith('FixtureData', ({ Resources }) => {
    Object.assign(
      Object.values(Resources).find(({ Type }) => Type === 'AWS::SQS::Queue'),
      { Condition: 'Never' },
    );
  });
  await expect(startHost({ assembly: conditional, port: 0 })).rejects.toThrow(
    /^The local host cannot run these resources: FixtureData\/\w+ \(AWS::SQS::Queue, on a condition\)\.$/,
  );
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
