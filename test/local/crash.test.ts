import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assembly } from '../harness/assembly.ts';
import type { Json } from '../harness/json.ts';
import { serve } from './fixture/serving.ts';

const writes = 1_000;
const writers = 8;

let directory: string;
let running: ChildProcess | undefined;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'switchboard-crash-'));
});
afterAll(async () => {
  if (running?.exitCode === null && running.signalCode === null) {
    running.kill('SIGTERM');
    await once(running, 'exit');
  }
  await rm(directory, { recursive: true, force: true });
});

/** Starts the product on the data directory, in a process of its own; answers its address. */
async function start(): Promise<string> {
  const serving = await serve(await assembly(), directory);
  running = serving.process;
  return serving.url;
}

async function post(url: string, body: unknown, token?: string): Promise<{ status: number; body: Json }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test('The host keeps every acknowledged write, totals included, when it is killed in the middle of 1,000 writes', async () => {
  const first = await start();
  const person = {
    email: 'ada@example.com',
    password: 'correct horse',
    firstName: 'Ada',
    lastName: 'L',
    role: 'ADMIN',
  };
  const { token } = (await post(`${first}/api/auth/register`, person)).body;

  const acknowledged: string[] = [];
  let next = 0;
  const writer = async () => {
    while (next < writes) {
      next += 1;
      const answer = await post(`${first}/api/contacts/create`, { firstName: `n${next}` }, token).catch(
        () => undefined,
      );
      if (answer?.status !== 201) {
        return;
      }
      acknowledged.push(answer.body.data._id);
      if (acknowledged.length === writes / 2) {
        running?.kill('SIGKILL');
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  expect(acknowledged.length).toBeGreaterThanOrEqual(writes / 2);
  expect(acknowledged.length).toBeLessThan(writes);

  const second = await start();
  const seen = new Set<string>();
  let total = 0;
  for (let page = 1; page === 1 || seen.size < total; page += 1) {
    const { status, body } = await post(`${second}/api/contacts`, { size: 100, page: { New: page } }, token);
    expect(status).toBe(200);
    total = body.data.New.total;
    expect(body.data.New.contacts).not.toHaveLength(0);
    for (const { _id } of body.data.New.contacts) {
      seen.add(_id);
    }
  }
  expect(seen.size).toBe(total);
  expect(acknowledged.filter((id) => !seen.has(id))).toEqual([]);
});
