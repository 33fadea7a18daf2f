import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtureAssembly } from '../harness/assembly.ts';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';
import { serve } from './fixture/serving.ts';
import { slowServer } from './fixture/slow-server.ts';

let directory: string;
let dataDir: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'killed-host-'));
  dataDir = join(directory, 'data');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Whether nobody listens there. */
async function isDown(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}

test('A host that is killed loses nothing, leaves no database behind and does not block the next start', async () => {
  const killed = await serve(await fixtureAssembly(), dataDir);
  // The batch with this job is never finished: the function fails for it, and is tried again and again.
  for (const pk of ['job#poison', 'item#written']) {
    const response = await fetch(`${killed.url}/store`, { method: 'POST', body: JSON.stringify({ pk }) });
    expect(response.status).toBe(201);
  }
  killed.process.kill('SIGKILL');
  await once(killed.process, 'exit');
  await eventually(() => isDown(killed.dynamodbEndpoint));

  const next = await startFixture({ dataDir });
  expect(await next.read('item#written')).toBeDefined();
  await eventually(async () => Number((await next.read('seen#job#poison'))?.times?.N) >= 1);
  await next.put('job#after');
  await eventually(() => next.read('seen#job#after'));
  await next.stop();
});

test('A host that is told to end does so in the middle of things, and waits for no function', async () => {
  const serving = await serve(await fixtureAssembly(), dataDir);
  const other = await slowServer();
  const cutOff = fetch(`${serving.url}/behave/wait?${other.query}`).catch(() => 'cut off');
  await other.asked(1);
  serving.process.kill('SIGTERM');
  expect(await once(serving.process, 'exit')).toEqual([0, null]);
  expect(await isDown(serving.dynamodbEndpoint)).toBe(true);
  expect(await cutOff).toBe('cut off');
});

/** The process of the database that listens there. */
function databaseOf({ host }: Running): number {
  const { hostname } = new URL(host.dynamodbEndpoint);
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  const line = stdout.split('\n').find((one) => one.includes(`--host ${hostname}`) && !one.includes('sh -c'));
  return Number.parseInt(line ?? '', 10);
}

test('When its database ends, a host says so, and all data is there after the next start', async () => {
  const lost: string[] = [];
  const onLost = ({ message }: Error) => void lost.push(message);
  const host = await startFixture({ dataDir, onLost });
  await host.put('item#earlier');
  process.kill(databaseOf(host), 'SIGKILL');
  await eventually(() => lost.length > 0);
  expect(lost).toEqual(['The database ended. Its data is kept: start again.']);
  await host.stop();
  const next = await startFixture({ dataDir });
  expect(await next.read('item#earlier')).toBeDefined();
  const hanging = databaseOf(next);
  process.kill(hanging, 'SIGSTOP');
  await next.stop();
  // One that hangs ends like any other.
  expect(() => process.kill(hanging, 0)).toThrow();
});
