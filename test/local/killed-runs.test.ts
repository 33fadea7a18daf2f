import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assembly } from '../harness/assembly.ts';
import { eventually } from '../harness/eventually.ts';
import type { Json } from '../harness/json.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { inARow } from '../workflows/advancing.ts';
import { type Serving, serve } from './fixture/serving.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'killed-runs-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const kills = 2;
/** Runs that have not ended are looked at, and not joined by more: each look would otherwise keep the host from them. */
const mostUnderWay = 4;
const notes = ['One', 'Two', 'Three', 'Four'];

let host: Serving | undefined;
afterAll(() => host?.process.kill('SIGKILL'));

test('Runs of workflows go on after the host was killed in the middle of their steps, again and again, and do nothing twice', async () => {
  host = await serve(await assembly(), dataDir);
  let token = '';
  const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const response = await fetch(`${host?.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    return JSON.parse(text);
  };
  const runOf = async (id: string): Promise<Json> =>
    (await call('GET', `/api/contacts/${id}/workflow-runs`)).data[0];
  const contactIds: string[] = [];
  const underWay = new Set<string>();
  const newContact = async () => {
    const phoneNumbers = [{ value: newPhoneNumber() }];
    const { _id } = (await call('POST', '/api/contacts/create', { firstName: 'Ada', phoneNumbers })).data;
    contactIds.push(_id);
    underWay.add(_id);
  };
  const person = { firstName: 'Grace', lastName: 'Hopper', password: 'correct horse battery' };
  const email = `${randomUUID()}@example.com`;
  const registered = await call('POST', '/api/auth/register', { ...person, email, role: 'ADMIN' });
  token = registered.token;
  const { id: userId, organizationId } = registered.user;
  const number = { userId, provider: 'twilio', phoneNumber: newPhoneNumber(), isDefault: true };
  await call('POST', `/api/organizations/${organizationId}/phone-numbers`, number);
  await call('POST', '/api/workflows', {
    name: 'Welcome',
    enabled: true,
    ...inARow(
      [
        { type: 'addTags', data: { tags: ['new'] } },
        ...notes.map((note) => ({ type: 'addNote', data: { note } })),
        { type: 'sendMessage', data: { content: 'Hello' } },
      ],
      'contact.created',
    ),
  });

  for (let kill = 1; kill <= kills; kill += 1) {
    await eventually(async () => {
      if (underWay.size < mostUnderWay) {
        await newContact();
      }
      const runs = await Promise.all([...underWay].map(async (id) => [id, await runOf(id)] as const));
      for (const [id] of runs.filter(([, run]) => run?.finishedAt !== undefined)) {
        underWay.delete(id);
      }
      return runs.some(([, run]) => run?.status === 'running' && run.steps.length > 1);
    });
    const ended = once(host.process, 'exit');
    host.process.kill('SIGKILL');
    await ended;
    host = await serve(await assembly(), dataDir);
  }

  const ends: [string, Json][] = [];
  for (const id of contactIds) {
    const run = await eventually(async () => {
      const found = await runOf(id);
      return found?.finishedAt === undefined ? undefined : found;
    });
    ends.push([id, run]);
  }
  const { data: conversations } = await call('GET', '/api/conversations?limit=100');
  for (const [id, run] of ends) {
    expect(run.status).toBe('finished');
    expect(run.steps.map(({ type, status }: Json) => `${type} ${status}`)).toEqual([
      'trigger passed',
      'addTags passed',
      ...notes.map(() => 'addNote passed'),
      'sendMessage passed',
    ]);
    const made = await call('GET', `/api/contact-notes?contactId=${id}&limit=100`);
    expect(made.data.map(({ note }: Json) => note).sort()).toEqual([...notes].sort());
    const { messageId } = run.steps.at(-1);
    const conversation = conversations.find(({ contactId }: Json) => contactId === id);
    const messages = await call('GET', `/api/conversations/${conversation._id}/messages`);
    expect(messages.data.map(({ _id }: Json) => _id)).toEqual([messageId]);
  }
});
