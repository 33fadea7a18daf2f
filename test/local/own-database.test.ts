import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request as requestTo } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Database, startDatabase } from '../../infra/local/database/database.ts';
import { type Host, startHost } from '../../infra/local/host.ts';
import { openTable } from '../../infra/local/seed/connection.ts';
import { fixtureAssembly } from '../harness/assembly.ts';
import { eventually } from '../harness/eventually.ts';

const own = {
  AWS_ACCESS_KEY_ID: 'AKIDOFPERSON',
  AWS_SECRET_ACCESS_KEY: 'secret-of-person',
  AWS_SESSION_TOKEN: 'token-of-person',
};
const isOwn = (text: string) => Object.values(own).some((value) => text.includes(value));

/** The headers of the requests that have reached the database. */
const reached: IncomingHttpHeaders[] = [];
let database: Database;
const relay = createServer((request, response) => {
  const { headers } = request;
  reached.push(headers);
  const passed = requestTo(database.endpoint, { method: 'POST', headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  request.pipe(passed.on('error', () => response.destroy()));
});

let dataDir: string;
let host: Host;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'own-database-'));
  database = await startDatabase(undefined);
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  const { port } = relay.address() as AddressInfo;
  for (const [name, value] of Object.entries({ ...own, DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}` })) {
    vi.stubEnv(name, value);
  }
  host = await startHost({ assembly: await fixtureAssembly(), port: 0, dataDir });
});
afterAll(async () => {
  await host.stop();
  vi.unstubAllEnvs();
  relay.close();
  relay.closeAllConnections();
  await database.stop();
  await rm(dataDir, { recursive: true });
});

test('A database of your own is asked with the credentials of the environment, by functions and by the host', async () => {
  const body = '{"pk":"job#stored"}';
  expect((await fetch(`${host.url}/store`, { method: 'POST', body })).status).toBe(201);
  const { dynamodbEndpoint, credentials, tableName } = host;
  using table = openTable({ dynamodbEndpoint, credentials, tableName });
  await eventually(async () => (await table.rows()).some(({ pk }) => pk?.S === 'seen#job#stored'));

  const signers = reached.map(({ authorization = '' }) => /Credential=([^/]+)/.exec(authorization)?.[1]);
  expect(new Set(signers)).toEqual(new Set([own.AWS_ACCESS_KEY_ID]));
  const tokens = reached.map((headers) => headers['x-amz-security-token']);
  expect(new Set(tokens)).toEqual(new Set([own.AWS_SESSION_TOKEN]));
});

test('No function gets to know these credentials, and no file of the data directory holds them', async () => {
  expect(isOwn(JSON.stringify(host.functionEnvironment('fixture-store')))).toBe(false);
  const files = (await readdir(dataDir)).filter((name) => /\.(env|json)$/.test(name));
  expect(files).toContain('aws.env');
  for (const file of files) {
    expect(isOwn(await readFile(join(dataDir, file), 'utf8'))).toBe(false);
  }
});

test('No program reaches it by the host that has not signed with the credentials of the host', async () => {
  const before = reached.length;
  const { tableName, dynamodbEndpoint } = host;
  using table = openTable({ tableName, dynamodbEndpoint });
  await expect(table.isEmpty()).rejects.toThrow('not signed with the credentials of this host');
  expect(reached.slice(before).map((headers) => headers['x-amz-target'])).not.toContain(
    'DynamoDB_20120810.Scan',
  );
});
