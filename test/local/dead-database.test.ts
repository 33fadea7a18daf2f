import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';

let dataDir: string;
let running: Running | undefined;
let lost: string[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'dead-database-'));
  lost = [];
});
afterEach(async () => {
  await running?.stop();
  await rm(dataDir, { recursive: true });
});

/** Starts a host on the data directory, or in memory. */
async function start(options = { dataDir } as { dataDir?: string }): Promise<Running> {
  running = await startFixture({ ...options, onLost: ({ message }) => void lost.push(message) });
  return running;
}

/** The process of the database that listens there. */
function databaseOf({ host }: Running): number {
  const { hostname } = new URL(host.dynamodbEndpoint);
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  const line = stdout.split('\n').find((one) => one.includes(`--host ${hostname}`) && !one.includes('sh -c'));
  return Number.parseInt(line ?? '', 10);
}

const stored = ({ host }: Running) =>
  fetch(`${host.url}/store`, { method: 'POST', body: '{"pk":"item#later"}' });
const health = ({ host }: Running) => fetch(`${host.url}/echo`);

test('A database that ends is started again, with all its data', async () => {
  const host = await start();
  await host.put('item#earlier');
  const dead = databaseOf(host);
  process.kill(dead, 'SIGKILL');
  await eventually(() => host.lines.includes('The database is running again, with all its data'));
  expect(databaseOf(host)).not.toBe(dead);
  expect(await host.read('item#earlier')).toBeDefined();
  expect((await stored(host)).status).toBe(201);
  expect(await host.read('item#later')).toBeDefined();
  await host.put('job#later');
  await eventually(() => host.read('seen#job#later'));
  expect(lost).toEqual([]);
});

test('While a database hangs, every response is a 503 that says when to come back; then it is started again', async () => {
  const host = await start();
  await host.put('item#earlier');
  process.kill(databaseOf(host), 'SIGSTOP');
  const refusal = await eventually(async () => {
    const response = await health(host);
    return response.status === 503 && response;
  });
  expect(refusal.headers.get('retry-after')).toBe('1');
  expect(await refusal.json()).toEqual({ message: 'Service Unavailable' });
  await eventually(async () => (await health(host)).status === 200);
  expect(host.lines).toContain('The database no longer responds and is being stopped');
  expect(await host.read('item#earlier')).toBeDefined();
});

test('A database that ends again and again is given up, in one sentence', async () => {
  const host = await start();
  const starts = () => host.lines.filter((line) => line.startsWith('The database is running again')).length;
  for (let ends = 0; ends < 6; ends += 1) {
    await eventually(() => starts() === ends);
    process.kill(databaseOf(host), 'SIGKILL');
  }
  await eventually(() => lost.length > 0);
  expect(lost).toEqual(['The database ended 6 times within a minute and will not be started again.']);
  expect((await health(host)).status).toBe(503);
});

test('A database that cannot start again, because its file is damaged, is given up, in one sentence', async () => {
  const host = await start();
  await rm(join(dataDir, 'database.sqlite-wal'));
  await writeFile(join(dataDir, 'database.sqlite'), 'something else '.repeat(1000));
  process.kill(databaseOf(host), 'SIGKILL');
  await eventually(() => lost.length > 0);
  expect(lost).toEqual([
    expect.stringMatching(/^The database stopped and could not be restarted: \S+database\.sqlite is damaged/),
  ]);
});

test('A database in memory that ends takes everything with it, and says so', async () => {
  const host = await start({});
  process.kill(databaseOf(host), 'SIGKILL');
  await eventually(() => lost.length > 0);
  expect(lost).toEqual([
    'The database stopped and could not be restarted: what it held was in memory, and is gone.',
  ]);
});

test('A host whose database hangs ends like any other, and leaves no database behind', async () => {
  const host = await start();
  const hanging = databaseOf(host);
  process.kill(hanging, 'SIGSTOP');
  await host.stop();
  running = undefined;
  expect(() => process.kill(hanging, 0)).toThrow();
});
