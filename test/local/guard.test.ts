import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { type IncomingMessage, request as requestTo } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blockedPorts } from '../../infra/local/database/blocked-port.ts';
import type { Credentials } from '../../infra/local/environment.ts';
import { type Running, startFixture } from './fixture/running.ts';

let directory: string;
let running: Running;
/** What a shell has after it has read the file for tools. */
let tools: Record<string, string>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guard-'));
  running = await startFixture({ dataDir: directory });
  await running.put('item#kept');
  tools = await toolsIn(directory);
});
afterAll(async () => {
  await running.stop();
  await rm(directory, { recursive: true });
});

async function toolsIn(dataDir: string): Promise<Record<string, string>> {
  const text = await readFile(join(dataDir, 'aws.env'), 'utf8');
  return Object.fromEntries(
    [...text.matchAll(/^export (\w+)='([^']*)'$/gm)].map(([, name, value]) => [name, value]),
  );
}

const services = {
  database: {
    variable: 'AWS_ENDPOINT_URL_DYNAMODB',
    signedFor: 'dynamodb',
    contentType: 'application/x-amz-json-1.0',
    target: 'DynamoDB_20120810.GetItem',
    input: () => ({ TableName: tools.TABLE_NAME, Key: { pk: { S: 'item#kept' } } }),
  },
  secrets: {
    variable: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
    signedFor: 'secretsmanager',
    contentType: 'application/x-amz-json-1.1',
    target: 'secretsmanager.GetSecretValue',
    input: () => ({ SecretId: running.host.functionEnvironment('fixture-store').SECRET }),
  },
};
type Service = keyof typeof services;

interface Attempt {
  /** Instead of those of the file for tools. */
  credentials?: Credentials;
  /** Headers that are signed with the others. */
  signed?: Record<string, string>;
  /** What is sent in place of what was signed. */
  sent?: { body?: string; headers?: Record<string, string> };
}

/** Reads an item, or a secret, with a request of this kind; answers what came of it. */
async function read(name: Service, { credentials, signed, sent = {} }: Attempt = {}) {
  const { variable, signedFor: service, contentType, target, input } = services[name];
  const { host, hostname, port } = new URL(tools[variable] ?? '');
  const signer = new SignatureV4({
    credentials: credentials ?? running.host.credentials,
    region: 'us-east-1',
    service,
    sha256: Sha256,
  });
  const headers = { host, 'content-type': contentType, 'x-amz-target': target, ...signed };
  const body = JSON.stringify(input());
  const request = await signer.sign(new HttpRequest({ method: 'POST', path: '/', headers, body }));
  const asking = requestTo({ hostname, port, method: 'POST', headers: sent.headers ?? request.headers });
  asking.end(sent.body ?? body);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return { status: response.statusCode, answer: (await json(response)) as Record<string, unknown> };
}

test('A program of the developer finds address, name and credentials in a file that nobody else can read', async () => {
  expect(tools).toMatchObject({
    AWS_ACCESS_KEY_ID: running.host.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: running.host.credentials.secretAccessKey,
    TABLE_NAME: running.table,
  });
  expect((await stat(join(directory, 'aws.env'))).mode & 0o777).toBe(0o600);
  const found = { status: 200, answer: { Item: { pk: { S: 'item#kept' } } } };
  expect(await read('database')).toMatchObject(found);
  expect(await read('secrets')).toMatchObject({ status: 200, answer: { SecretString: expect.any(String) } });
});

test('Every start without a data directory has credentials of its own', async () => {
  const another = await startFixture();
  const { accessKeyId, secretAccessKey } = running.host.credentials;
  expect(another.host.credentials.accessKeyId).not.toBe(accessKeyId);
  expect(another.host.credentials.secretAccessKey).not.toBe(secretAccessKey);
  await another.stop();
});

const known = () => running.host.credentials;
const attempts: [what: string, attempt: () => Attempt][] = [
  ['a page of another origin', () => ({ signed: { origin: 'https://evil.example' } })],
  ['a page of a file', () => ({ signed: { origin: 'null' } })],
  ['a page that asks for a picture', () => ({ signed: { 'sec-fetch-site': 'cross-site' } })],
  ['a page whose own name leads to this machine', () => ({ signed: { host: 'rebound.example:4566' } })],
  ['anybody who guesses', () => ({ credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })],
  [
    'anybody who has seen the key id, as it is in every link to an object',
    () => ({ credentials: { ...known(), secretAccessKey: 'local' } }),
  ],
  ['anybody without a signature', () => ({ sent: { headers: {} } })],
  ['anybody who sends something else than was signed', () => ({ sent: { body: '{}' } })],
];

test.each(attempts)('The secrets of a host are closed to %s', async (_who, attempt) => {
  expect(await read('secrets', attempt())).toEqual({
    status: 403,
    answer: { __type: expect.stringContaining('UnrecognizedClientException'), message: expect.any(String) },
  });
});

test('The secrets of a host let no page ask what it may send', async () => {
  const response = await fetch(tools[services.secrets.variable] ?? '', {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  expect(response.status).toBe(403);
  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
});

test('No page writes to the connections of a host, not even with a signature', async () => {
  const response = await fetch(`${running.host.url}/live/@connections/any`, {
    method: 'POST',
    headers: { origin: 'https://evil.example', authorization: 'AWS4-HMAC-SHA256 any' },
    body: 'text',
  });
  expect(response.status).toBe(404);
});

test('The database is where no page can reach it', () => {
  const { port } = new URL(running.host.dynamodbEndpoint);
  expect(blockedPorts).toContain(Number(port));
});

test.each(blockedPorts)('Port %i is one that the Fetch Standard blocks', async (port) => {
  const refusal = await fetch(`http://127.0.0.1:${port}`).catch((error: Error) => error.cause);
  expect(refusal).toMatchObject({ message: 'bad port' });
});

test('Tools and links go on working after the next start', async () => {
  const { credentials } = running.host;
  await running.stop();
  running = await startFixture({ dataDir: directory });
  expect(running.host.credentials).toEqual(credentials);
  tools = await toolsIn(directory);
  expect((await read('database')).status).toBe(200);
});
