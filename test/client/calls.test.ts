import { expect, test } from 'vitest';
import type { Json } from '../harness/json.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import type { User } from '../live/live-host.ts';
import { setUpBreakingNetwork } from './breaking-network.ts';
import { clientFor, hurriedWait, loadClient } from './loaded-client.ts';

const host = await setUpLiveHost();
const network = await setUpBreakingNetwork(host.url);
const module = await loadClient(host.url);
const newPerson = async (options = {}) => clientFor(module, host, await host.newOrganization(), options);

/** The ids of the contacts on a board. */
const idsOn = (board: Json): string[] =>
  Object.values(board as Record<string, Json>).flatMap(({ contacts }) =>
    contacts.map((one: Json) => one._id),
  );

/** What the client sends, and a fetch that notes it. */
function noted() {
  const sent: { path: string; headers: Headers }[] = [];
  const noting: typeof fetch = (url, init) => {
    sent.push({ path: new URL(String(url)).pathname, headers: new Headers(init?.headers) });
    return fetch(url, init);
  };
  return { sent, fetch: noting };
}

test('A person logs in, and each method is an operation by its name, with parameters, body and response of the document', async () => {
  const client = module.createClient({ baseUrl: `${host.url}/` });
  const ada = { email: `${crypto.randomUUID()}@example.com`, password: 'correct horse battery' };
  await client.register({ ...ada, firstName: 'Ada', lastName: 'Admin', role: 'ADMIN' });
  const { data: me } = await client.readMe();
  expect(me.user.email).toBe(ada.email);

  const { data: contact } = await client.createContact({ firstName: 'George', lastName: 'Boole' });
  await client.updateContact({ id: contact._id }, { lastName: 'Bool' });
  expect((await client.readContact({ id: contact._id })).data).toMatchObject({ fullName: 'George Bool' });
  expect(await client.listReminders({ contactId: contact._id, limit: 5 })).toMatchObject({
    data: [],
    nextCursor: null,
  });

  await client.logout();
  await expect(client.readMe()).rejects.toMatchObject({ status: 401 });
  await client.login(ada);
  expect((await client.readMe()).data.user.email).toBe(ada.email);
});

test('Who registers a colleague stays who they are', async () => {
  const client = await newPerson();
  const { data: before } = await client.readMe();
  const email = `${crypto.randomUUID()}@example.com`;
  const { organizationId } = before.user;
  const colleague = { firstName: 'Bob', lastName: 'Rep', role: 'SALES_REP', organizationId };
  await client.register({ ...colleague, email, password: 'correct horse battery' });
  expect((await client.readMe()).data.user.email).toBe(before.user.email);
});

test('A program calls with its API key', async () => {
  const { data: _, key } = await (await newPerson()).createApiKey({ name: 'Program', access: 'write' });
  const program = module.createClient({ baseUrl: host.url, apiKey: key });
  expect((await program.readMe()).data.key.name).toBe('Program');
});

test('A refused call says what is wrong, where and with which request', async () => {
  const client = await newPerson();
  const error = await client.readContact({ id: 'nobody' }).catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(module.ApiError);
  expect(error).toMatchObject({
    name: 'ApiError',
    message: 'GET /api/contacts/nobody was refused with 404: Contact not found',
    status: 404,
    body: { message: 'Contact not found' },
    requestId: expect.stringMatching(/./),
  });
  await expect(client.readContact({ id: undefined })).rejects.toThrow(
    'id is missing: it is part of the path /api/contacts/{id}.',
  );
});

test('A contact whose response was lost is there once: the call is repeated with its key', async () => {
  const user = await host.newOrganization();
  const { sent, fetch } = noted();
  const client = clientFor(module, network, user, { fetch });
  network.loseResponses(3);
  const { data: contact } = await client.createContact({ firstName: 'Once' });

  expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  expect(sent).toHaveLength(4);
  const { data: board } = await client.listContactsByStage({ search: 'once' });
  expect(idsOn(board)).toEqual([contact._id]);
});

test('A call that got no response says so in the end, with the key by which it can be repeated', async () => {
  const client = clientFor(module, network, await host.newOrganization());
  network.loseResponses(5);
  const error = await client.createContact({ firstName: 'Twice' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 0, message: 'POST /api/contacts/create got no response.' });
  const { idempotencyKey } = error as { idempotencyKey: string };

  await client.createContact({ firstName: 'Twice' }, { idempotencyKey });
  const { data: board } = await client.listContactsByStage({ search: 'twice' });
  expect(idsOn(board)).toHaveLength(1);
});

test('What has neither key nor caller is not sent again: it may have been done', async () => {
  const { sent, fetch } = noted();
  const client = module.createClient({ baseUrl: network.url, fetch, wait: hurriedWait() });
  network.loseResponses(1);
  const someone = { email: `${crypto.randomUUID()}@example.com`, password: 'correct horse battery' };
  await expect(
    client.register({ ...someone, firstName: 'Ada', lastName: 'Admin', role: 'ADMIN' }),
  ).rejects.toMatchObject({ status: 0 });
  expect(sent).toHaveLength(1);
});

test('A busy service is asked again when it says, but not after half a minute', async () => {
  const waited: number[] = [];
  const answers = [
    new Response('{}', { status: 503, headers: { 'retry-after': '7' } }),
    new Response('{"message":"Too many"}', { status: 429, headers: { 'retry-after': '31' } }),
  ];
  const client = clientFor(module, host, await host.newOrganization(), {
    fetch: async () => answers.shift() as Response,
    wait: async (milliseconds) => void waited.push(milliseconds),
  });
  await expect(client.createContact({})).rejects.toMatchObject({ status: 429, retryAfter: 31 });
  expect(waited).toEqual([7000]);
});

test('A caller who has enough of it ends a call, also between two attempts', async () => {
  const stop = new AbortController();
  const client = clientFor(module, network, await host.newOrganization(), {
    wait: async () => stop.abort(new Error('Enough')),
  });
  network.loseResponses(1);
  await expect(client.createContact({}, { signal: stop.signal })).rejects.toThrow('Enough');
});

test('A list is its first page when it is awaited, and every record of all pages in a loop', async () => {
  const client = await newPerson();
  const { data: contact } = await client.createContact({ firstName: 'Busy' });
  const notes = ['one', 'two', 'three', 'four', 'five'];
  for (const note of notes) {
    await client.createNote({ contactId: contact._id, note });
  }
  const page = await client.listNotes({ contactId: contact._id, limit: 2 });
  expect([page.data.length, page.nextCursor]).toEqual([2, expect.any(String)]);

  const read = [];
  for await (const { note } of client.listNotes({ contactId: contact._id, limit: 2 })) {
    read.push(note);
  }
  expect(read).toEqual(notes.toReversed());
});

test('The journal is read to its present end in a loop', async () => {
  const asked: string[] = [];
  const pages = [
    { data: [{ id: '1' }, { id: '2' }], nextAfter: '2', hasMore: true },
    { data: [], nextAfter: '7', hasMore: true },
    { data: [{ id: '8' }], nextAfter: '8', hasMore: false },
  ];
  const client = module.createClient({
    baseUrl: host.url,
    apiKey: 'sbk_program',
    fetch: async (url) => {
      asked.push(new URL(String(url)).search);
      return Response.json(pages.shift());
    },
  });
  const read: string[] = [];
  for await (const { id } of client.listEvents({ since: '2026-03-04', limit: 2 })) {
    read.push(id);
  }
  expect(read).toEqual(['1', '2', '8']);
  expect(asked).toEqual(['?since=2026-03-04&limit=2', '?limit=2&after=2', '?limit=2&after=7']);
});

test('Files are uploaded, and attached to a note', async () => {
  const client = await newPerson();
  const { data: contact } = await client.createContact({ firstName: 'Ada' });
  const attachments = await client.upload([
    new File(['The offer'], 'offer.txt', { type: 'text/plain' }),
    { name: 'sketch.png', type: 'image/png', data: new Blob(['not much']) },
  ]);
  const { data: note } = await client.createNote({ contactId: contact._id, attachments });
  const [offer] = note.attachments;
  expect(await (await fetch(offer.signedUrl)).text()).toBe('The offer');
  expect(note.attachments.map(({ name, size }: Json) => [name, size])).toEqual([
    ['offer.txt', 9],
    ['sketch.png', 8],
  ]);
});

test('Calls at once whose token is refused renew the session once, and all go on', async () => {
  const user = await host.newOrganization();
  const { sent, fetch } = noted();
  const client = clientFor(module, host, { ...user, token: 'no longer valid' }, { fetch });
  const people = await Promise.all(Array.from({ length: 8 }, () => client.readMe()));
  expect(new Set(people.map(({ data }) => data.user.email)).size).toBe(1);
  expect(sent.filter(({ path }) => path === '/api/auth/refresh')).toHaveLength(1);
});

test('A renewal whose response was lost gets the same tokens again', async () => {
  const user = await host.newOrganization();
  const kept = [{ ...user, token: 'no longer valid' }];
  const store = { get: () => kept.at(-1) ?? null, set: (next: unknown) => kept.push(next as User) };
  const client = module.createClient({
    baseUrl: network.url,
    session: store,
    wait: hurriedWait(),
    fetch: (url, init) => {
      if (String(url).endsWith('/refresh') && lost === 0) {
        lost += 1;
        network.loseResponses(1);
      }
      return fetch(url, init);
    },
  });
  let lost = 0;
  expect((await client.readMe()).data.user).toBeDefined();
  expect([lost, kept.length]).toEqual([1, 2]);
});

test('A session that was ended is forgotten, and its calls are refused', async () => {
  const user = await host.newOrganization();
  await host.call('POST /api/auth/logout', undefined, { refreshToken: user.refreshToken });
  const client = clientFor(module, host, { ...user, token: 'no longer valid' });
  await expect(client.readMe()).rejects.toMatchObject({ status: 401 });
});
