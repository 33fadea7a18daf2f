import { afterEach, expect, test } from 'vitest';
import refresh from '../../functions/auth/refresh.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveHttp } from '../../shared/kernel/serve/serve-http.ts';
import type { ApiResponse } from '../harness/call.ts';
import { readEvents } from '../harness/events.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { type ContactRecord, type ContactsClient, newContactsClient } from './client.ts';
import {
  conflict,
  conflictAlone,
  conflictBeside,
  type Fault,
  replyLost,
  stillAtWork,
  throttled,
  timedOut,
} from './faulty-table.ts';
import { inOrder, rawContacts, toRaw } from './raw-table.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);
const table = setUpFaultyTable();
afterEach(() => table.clear());

const transaction = 'TransactWriteItemsCommand';
const unavailable = { error: 'Temporarily unavailable', message: 'The service is busy. Try again shortly.' };

function expectUnavailable({ status, body, headers }: ApiResponse): void {
  expect({ status, body }).toEqual({ status: 503, body: unavailable });
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
}

/** Everything that lies in the table of the organization, and the ids of its events. */
async function everything() {
  const { organizationId } = contacts.admin;
  const [raw, events] = [
    await rawContacts(product, organizationId),
    await readEvents(product, organizationId),
  ];
  return { raw, events: events.map(({ id }) => id) };
}

/** The table holds these contacts and nothing of any other. */
async function expectTableOf(records: ContactRecord[]): Promise<void> {
  expect(inOrder((await everything()).raw)).toEqual(inOrder(toRaw(records)));
}

type Change = (contacts: ContactsClient, contact: ContactRecord) => Promise<ApiResponse>;
const changes: Record<string, { status: number; act: Change }> = {
  'a create': {
    status: 201,
    act: (one) =>
      one.create({ firstName: 'New', phoneNumbers: [{ value: newPhoneNumber() }], assignees: [] }),
  },
  'an update': {
    status: 200,
    act: (one, { _id }) =>
      one.update(_id, { firstName: 'Edited', owner: null, phoneNumbers: [{ value: newPhoneNumber() }] }),
  },
  'a move': { status: 200, act: (one, { _id }) => one.move(_id, { stage: 'Won' }) },
  'a delete': { status: 200, act: (one, { _id }) => one.remove(_id) },
};

const newContact = () =>
  contacts.created({ firstName: 'There', phoneNumbers: [{ value: newPhoneNumber() }] });

test.each(Object.entries(changes))(
  '%s happens once when conflicts, a time-out, throttling and a lost reply come before its success',
  async (name, { status, act }) => {
    const contact = await newContact();
    const others = (await contacts.everything()).filter(({ _id }) => _id !== contact._id);
    const { events } = await everything();
    table.clear();
    table.next(transaction, conflict, conflict, timedOut, throttled, conflict, replyLost);
    const response = await act(contacts, contact);
    expect(response.status).toBe(status);
    const tokens = table.tries(transaction).map(({ ClientRequestToken }) => ClientRequestToken);
    expect(tokens).toHaveLength(7);
    expect(new Set(tokens).size).toBe(1);
    const { data } = response.body;
    const left = [...others, ...(name === 'a create' ? [contact, data] : name === 'a delete' ? [] : [data])];
    await expectTableOf(left);
    expect(await contacts.everything()).toHaveLength(left.length);
    expect((await everything()).events).toHaveLength(events.length + 1);
  },
);

test('A transaction whose repetition finds it still at work happens once', async () => {
  const { events } = await everything();
  table.clear();
  table.next(transaction, stillAtWork);
  expect((await contacts.create({ firstName: 'Once' })).status).toBe(201);
  expect(table.tries(transaction)).toHaveLength(2);
  expect((await everything()).events).toHaveLength(events.length + 1);
});

test('A write of one item that meets a transaction is tried again: a refresh succeeds, and its token is used up', async () => {
  const { refreshToken } = await product.newOrganization();
  table.clear();
  table.next('UpdateItemCommand', conflictAlone, conflictAlone);
  const refresh = () => product.call('refresh', { body: { refreshToken } });
  expect((await refresh()).status).toBe(200);
  expect(table.tries('UpdateItemCommand')).toHaveLength(3);
  expect((await refresh()).status).toBe(401);
});

test.each(['GetItemCommand', 'UpdateItemCommand'] as const)(
  'A refresh that meets a fault is a 503 that leaves the token usable: %s',
  async (command) => {
    const { refreshToken } = await product.newOrganization();
    const use = () => product.call('refresh', { body: { refreshToken } });
    table.always(command, timedOut);
    const { status, headers } = await use();
    expect({ status, wait: headers['retry-after'] }).toEqual({ status: 503, wait: '1' });
    table.clear();
    expect((await use()).status).toBe(200);
  },
);

test('The log line of a 503 has the error of the table, which the body conceals', async () => {
  const { refreshToken } = await product.newOrganization();
  const lines: Record<string, unknown>[] = [];
  const log = (line: Record<string, unknown>) => void lines.push(line);
  const handler = serveHttp('refresh', refresh as never, product.providers, { ...systemRuntime, log });
  table.always('GetItemCommand', throttled);
  const { statusCode, body } = await handler(
    {
      rawPath: '/',
      headers: {},
      body: JSON.stringify({ refreshToken }),
      requestContext: { requestId: 'r', http: { method: 'POST', path: '/', sourceIp: '192.0.2.1' } },
    },
    {},
  );
  expect(statusCode).toBe(503);
  expect(body).not.toContain('Rate exceeded');
  expect(lines).toMatchObject([
    {
      level: 'error',
      status: 503,
      cause: { name: 'ProvisionedThroughputExceededException', message: 'Rate exceeded' },
    },
  ]);
});

test('Reads are tried again by themselves when a request or its reply is lost', async () => {
  const record = await newContact();
  table.next('GetItemCommand', replyLost, timedOut);
  expect((await contacts.read(record._id)).body.data).toEqual(record);
  table.next('QueryCommand', timedOut, throttled);
  expect((await contacts.board()).New?.contacts).toContainEqual(record);
});

test('A condition that fails is reported at once, without another attempt, even next to conflicts', async () => {
  const phoneNumbers = [{ value: newPhoneNumber() }];
  const { _id } = await contacts.created({ firstName: 'Holder', phoneNumbers });
  table.clear();
  table.next(transaction, conflictBeside);
  const response = await contacts.create({ firstName: 'Late', phoneNumbers });
  expect(response).toMatchObject({ status: 409, body: { contactId: _id } });
  expect(table.tries(transaction)).toHaveLength(1);
});

test('A create whose replies are all lost is a 503, and the contact is there as a whole', async () => {
  const value = newPhoneNumber();
  table.always(transaction, replyLost);
  expectUnavailable(await contacts.create({ firstName: 'Unheard', phoneNumbers: [{ value }] }));
  table.clear();
  const [contact] = await contacts.everything({ search: value });
  expect(contact).toMatchObject({ firstName: 'Unheard', phoneNumbers: [{ value }] });
  const again = await contacts.create({ firstName: 'Unheard', phoneNumbers: [{ value }] });
  expect(again).toMatchObject({ status: 409, body: { contactId: contact?._id } });
  await expectTableOf(await contacts.everything());
});

for (const [which, fault] of [
  ['times out', timedOut],
  ['throttles', throttled],
] as const) {
  test(`A table that always ${which} makes every read a 503 with Retry-After`, async () => {
    const { _id } = await newContact();
    table.always('GetItemCommand', fault);
    table.always('QueryCommand', fault);
    const responses = await Promise.all([
      contacts.list(),
      contacts.list({ search: 'a' }),
      contacts.list({ ownerFilter: 'team' }),
      contacts.read(_id),
      ...Object.values(changes)
        .slice(1)
        .map(({ act }) => act(contacts, { _id } as ContactRecord)),
    ]);
    responses.forEach(expectUnavailable);
  });

  test(`A table that always ${which} makes the board a 503 when only its columns, or only its pipelines, cannot be read`, async () => {
    for (const [command, query] of [
      ['QueryCommand', {}],
      // A board of applications always reads the pipelines.
      ['GetItemCommand', { pipelineType: 'Application' }],
    ] as const) {
      table.always(command, fault);
      expectUnavailable(await contacts.list(query));
      table.clear();
      expect((await contacts.list(query)).status).toBe(200);
    }
  });
}

test.each<[string, Fault]>([
  ['times out', timedOut],
  ['is throttled', throttled],
  ['meets conflicts', conflict],
])(
  'A change that %s every time is a 503 with Retry-After and leaves everything as it was',
  async (_, fault) => {
    const contact = await newContact();
    const before = await everything();
    table.always(transaction, fault);
    const responses = await Promise.all(Object.values(changes).map(({ act }) => act(contacts, contact)));
    responses.forEach(expectUnavailable);
    table.clear();
    expect(await everything()).toEqual(before);
    expect((await contacts.read(contact._id)).body.data).toEqual(contact);
  },
);
