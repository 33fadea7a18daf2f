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
import { type Serving, serve } from './fixture/serving.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'killed-keyed-writes-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const kills = 2;
/** Requests of each kind that are under way when the host is killed. */
const count = 6;

let host: Serving | undefined;
afterAll(() => host?.process.kill('SIGKILL'));

interface Sent {
  readonly path: string;
  readonly body: Json;
  readonly key: string;
  /** The text of the response, if one came before the end. */
  text?: string;
}

test('Requests with keys under way when the host was killed, and sent again to the next one, happen once, with one response', async () => {
  host = await serve(await assembly(), dataDir);
  let token = '';
  const post = (path: string, body: Json, key: string = randomUUID()) =>
    fetch(`${host?.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
  const read = async (path: string): Promise<Json> => {
    const response = await fetch(`${host?.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return response.json();
  };
  const created = async (path: string, body: Json): Promise<Json> => {
    const response = await post(path, body);
    expect(response.status).toBe(201);
    return response.json();
  };
  const person = { firstName: 'Grace', lastName: 'Hopper', password: 'correct horse battery' };
  const email = `${randomUUID()}@example.com`;
  const registered = await created('/api/auth/register', { ...person, email, role: 'ADMIN' });
  token = registered.token;
  const { id: userId, organizationId } = registered.user;
  const number = { userId, provider: 'twilio', phoneNumber: newPhoneNumber(), isDefault: true };
  await created(`/api/organizations/${organizationId}/phone-numbers`, number);
  const { data: contact } = await created('/api/contacts/create', {
    ...{ firstName: 'Ada', phoneNumbers: [{ value: newPhoneNumber() }] },
  });

  const all: Sent[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    const requests = Array.from({ length: count }, (_, index): Sent[] => {
      const content = `Number ${index} before kill ${kill}`;
      return [
        { path: '/api/contact-notes', body: { contactId: contact._id, note: content }, key: randomUUID() },
        { path: '/api/messages', body: { contactId: contact._id, content }, key: randomUUID() },
      ];
    }).flat();
    let answers = 0;
    const ended = once(host.process, 'exit');
    const cutOff = requests.map(async (request) => {
      const response = await post(request.path, request.body, request.key);
      if (response.status === 201) {
        request.text = await response.text();
      }
      answers += 1;
      if (answers === kill) {
        host?.process.kill('SIGKILL');
      }
    });
    await Promise.allSettled([...cutOff, ended]);
    all.push(...requests);
    host = await serve(await assembly(), dataDir);

    for (const { path, body, key, text } of requests) {
      const again = await eventually(async () => {
        const response = await post(path, body, key);
        return response.status !== 409 && response;
      });
      expect(again.status).toBe(201);
      const answer = await again.text();
      expect(text ?? answer).toBe(answer);
      const repeated = await post(path, body, key);
      expect([repeated.headers.get('idempotent-replayed'), await repeated.text()]).toEqual(['true', answer]);
    }
  }

  const { data: notes } = await read(`/api/contact-notes?contactId=${contact._id}&limit=100`);
  const sentNotes = all.flatMap(({ body }) => body.note ?? []);
  expect(notes.map(({ note }: Json) => note).sort()).toEqual(sentNotes.sort());
  const [conversation] = (await read('/api/conversations?limit=100')).data;
  const { data: messages } = await read(`/api/conversations/${conversation._id}/messages?limit=100`);
  const sentTexts = all.flatMap(({ body }) => body.content ?? []);
  expect(messages.map(({ content }: Json) => content).sort()).toEqual(sentTexts.sort());
});
