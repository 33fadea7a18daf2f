import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
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

async function start(): Promise<Running> {
  running = await startFixture({ dataDir, onLost: ({ message }) => void lost.push(message) });
  return running;
}

/** The process of the database that listens there. */
function databaseOf({ host }: Running): number {
  const { hostname } = new URL(host.dynamodbEndpoint);
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  const line = stdout.split('\n').find((one) => one.includes(`--host ${hostname}`) && !one.includes('sh -c'));
  return Number.parseInt(line ?? '', 10);
}

test('When its database ends, a host says so, and all data is there after the next start', async () => {
  const host = await start();
  await host.put('item#earlier');
  process.kill(databaseOf(host), 'SIGKILL');
  await eventually(() => lost.length > 0);
  expect(lost).toEqual(['The database ended. Its data is kept: start again.']);
  await host.stop();
  expect(await (await start()).read('item#earlier')).toBeDefined();
  expect(lost).toHaveLength(1);
});

test('A host whose database hangs ends like any other, and leaves no database behind', async () => {
  const host = await start();
  const hanging = databaseOf(host);
  process.kill(hanging, 'SIGSTOP');
  await host.stop();
  running = undefined;
  expect(() => process.kill(hanging, 0)).toThrow();
});
