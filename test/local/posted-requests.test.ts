import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assembly } from '../harness/assembly.ts';
import { eventually } from '../harness/eventually.ts';
import type { Json } from '../harness/json.ts';
import { startReceiver } from '../outgoing-posts/receiver.ts';
import { graphWith, manual } from '../workflows/simulating.ts';
import { type Serving, serve } from './fixture/serving.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'posted-requests-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

let host: Serving | undefined;
afterAll(() => host?.process.kill('SIGKILL'));

test('A workflow on the local host posts to a server on this machine, and goes on with its answer', async () => {
  const ids: unknown[] = [];
  await using receiver = await startReceiver((request, response) => {
    ids.push(request.headers['webhook-id']);
    response.end('{"score": 7}');
  });
  host = await serve(await assembly(), dataDir);
  let token = '';
  const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const response = await fetch(`${host?.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.ok, path).toBe(true);
    return response.json();
  };
  const person = { firstName: 'Grace', lastName: 'Hopper', password: 'correct horse battery' };
  const email = `${randomUUID()}@example.com`;
  ({ token } = await call('POST', '/api/auth/register', { ...person, email, role: 'ADMIN' }));
  const { data: contact } = await call('POST', '/api/contacts/create', { firstName: 'Ada' });
  const scored = [{ field: 'step.ask.body.score', operator: 'equals', value: 7 }];
  const { data: workflow } = await call('POST', '/api/workflows', {
    ...{ name: 'Ask', enabled: true },
    ...graphWith(
      {
        trigger: manual,
        ask: { type: 'httpRequest', data: { url: `http://localhost:${receiver.port}/` } },
        check: { type: 'condition', data: { rules: scored } },
        tag: { type: 'addTags', data: { tags: ['scored'] } },
      },
      ['trigger ask', 'ask check', 'check true tag'],
    ),
  });
  await call('POST', `/api/workflows/${workflow._id}/run`, { contactId: contact._id });

  await eventually(async () => {
    const { data } = await call('GET', `/api/contacts/${contact._id}`);
    return data.tags.includes('scored');
  });
  expect(new Set(ids)).toEqual(new Set([expect.stringMatching(/^\w+_2$/)]));
});
