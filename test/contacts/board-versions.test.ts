import { beforeEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import boardOperation from '../../functions/contacts/list-contacts-by-stage.ts';
import { applicationsClient } from '../applications/client.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { type BoardResponse, type ContactsClient, contactsClient } from './client.ts';
import type { Fault } from './faulty-table.ts';

const { product } = await setUpWorld();
const table = setUpFaultyTable();

let admin: Person;
let contacts: ContactsClient;
beforeEach(async () => {
  table.clear();
  admin = await product.newOrganization();
  contacts = contactsClient(product, admin);
});

/** Moments of one story, in milliseconds from its beginning. */
const start = Date.now();
const at = (milliseconds: number) => new Date(start + milliseconds);

async function columnsAt(milliseconds: number, client = contacts) {
  const board = await client.board({}, at(milliseconds));
  return Object.fromEntries(
    Object.entries(board).map(([stage, column]) => [stage, [column.total, ...column.contacts.map(nameOf)]]),
  );
}

const nameOf = ({ firstName }: { firstName: string }) => firstName;

test('A board on which nothing changed costs the pipelines and the counters: two requests of no more than three read units', async () => {
  await contacts.created({ firstName: 'Ada' });
  await columnsAt(0);
  await columnsAt(1_000);

  const { consumed } = await contacts.list({}, at(2_000));

  expect(consumed).toMatchObject({ requests: 2, roundTrips: 2 });
  expect(consumed?.readUnits).toBeLessThanOrEqual(3);
});

test("A representative's own board costs as little", async () => {
  const rep = await product.newColleague(admin);
  const own = contactsClient(product, rep);
  await own.created({ firstName: 'Ada' });
  await columnsAt(0, own);
  await columnsAt(1_000, own);

  const { consumed, body } = await own.list({}, at(2_000));

  expect(consumed).toMatchObject({ requests: 2, roundTrips: 2 });
  expect(body.data.New.total).toBe(1);
});

test('Only the columns that changed are read again, between two readings of the counters', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada' });
  await columnsAt(0);
  await columnsAt(1_000);
  await contacts.move(_id, { stage: 'Won' });

  const { consumed, body } = await contacts.list({}, at(2_000));

  expect(body.data).toMatchObject({ New: { total: 0 }, Won: { total: 1 } });
  expect(consumed?.requests).toBe(5);
});

test('Every change shows at once, on every page and to everyone: a creation, an edit, a move, a message, a new owner, a deletion', async () => {
  const rep = await product.newColleague(admin);
  const own = contactsClient(product, rep);
  const { _id } = await contacts.created({ firstName: 'Ada', owner: rep.userId });
  expect(await columnsAt(0, own)).toMatchObject({ New: [1, 'Ada'] });

  expectStatus(await contacts.update(_id, { firstName: 'Augusta' }), 200);
  expect(await columnsAt(10, own)).toMatchObject({ New: [1, 'Augusta'] });
  expect(await columnsAt(10)).toMatchObject({ New: [1, 'Augusta'] });

  expectStatus(await contacts.move(_id, { stage: 'Won' }), 200);
  expect(await columnsAt(20, own)).toMatchObject({ New: [0], Won: [1, 'Augusta'] });

  expectStatus(await contacts.update(_id, { owner: admin.userId }), 200);
  expect(await columnsAt(30, own)).toMatchObject({ New: [0], Won: [0] });
  expect(await columnsAt(30)).toMatchObject({ Won: [1, 'Augusta'] });

  await contacts.created({ firstName: 'Grace', stage: 'Won' });
  const second = (await contacts.board({ size: 1, page: { Won: 2 } }, at(40))).Won;
  expect(second).toMatchObject({ total: 2, contacts: [{ firstName: 'Augusta' }] });

  expectStatus(await contacts.remove(_id), 200);
  expect((await contacts.board({ size: 1, page: { Won: 2 } }, at(50))).Won).toEqual({
    total: 1,
    contacts: [],
  });
});

test('A renamed stage shows under its new name, in the cards too', async () => {
  const pipelines = pipelinesClient(product, admin);
  const [pipeline] = await pipelines.list('Contact');
  await contacts.created({ firstName: 'Ada' });
  await columnsAt(0);
  const stages = pipeline?.stages.map((stage) =>
    stage.name === 'New' ? { ...stage, name: 'Fresh' } : stage,
  );

  expectStatus(await pipelines.update(pipeline?._id ?? '', { stages }), 200);

  expect(await contacts.board({}, at(10))).toMatchObject({
    Fresh: { total: 1, contacts: [{ firstName: 'Ada', stage: 'Fresh' }] },
  });
});

test('Stages in another order, another active pipeline and a deleted one show at once', async () => {
  const pipelines = pipelinesClient(product, admin);
  const [first] = await pipelines.list('Contact');
  const second = await pipelines.created({ name: 'Second', stages: ['A', 'B'] });
  await columnsAt(0);
  const named = async (body = {}) => Object.keys(await contacts.board(body, at(10)));

  expectStatus(await pipelines.update(first?._id ?? '', { stages: first?.stages.toReversed() }), 200);
  expect(await named()).toEqual(first?.stages.map(({ name }) => name).toReversed());

  expectStatus(await pipelines.update(second._id, { isActive: true }), 200);
  expect(await named()).toEqual(['A', 'B']);
  expect(await named({ pipelineId: first?._id })).toHaveLength(5);

  expectStatus(await pipelines.remove(second._id), 200);
  expect(await contacts.board({}, at(20))).toEqual({});
  expect((await contacts.list({ pipelineId: second._id }, at(20))).status).toBe(404);
});

test('People of two organizations never get each other’s pages', async () => {
  const stranger = await product.newOrganization();
  await contacts.created({ firstName: 'Ada' });
  await columnsAt(0);

  expect(await columnsAt(0, contactsClient(product, stranger))).toMatchObject({ New: [0] });
});

test('What a page says matches the description of the response, whether it is read or cached', async () => {
  await contacts.created({ firstName: '"Ada"\n', customFields: { deep: [{ ' ': null }] }, tags: ['vip'] });

  for (const milliseconds of [0, 10]) {
    const { body } = await contacts.list({}, at(milliseconds));
    expect(z.parse(boardOperation.output, body)).toEqual(body);
  }
});

type Items = { data?: unknown }[];

/** Of a transaction, the counters show at once, the board's entry and the contact's record only later. */
const hidden = (firstName: string): Fault => {
  const visible = (items: Items) => items.filter(({ data }) => !String(data).includes(firstName));
  return async (next) => {
    const result = (await next()) as { output: { Items?: Items; Responses?: Record<string, Items> } };
    const { Items, Responses = {} } = result.output;
    const shown = Object.entries(Responses).map(([name, items]) => [name, visible(items)]);
    return {
      ...result,
      output: { ...result.output, Items: Items && visible(Items), Responses: Object.fromEntries(shown) },
    };
  };
};

test('A card that became visible later than its counter is on the board a second later, and stays', async () => {
  await contacts.created({ firstName: 'Ada' });
  table.always('QueryCommand', hidden('Ada'));
  table.always('BatchGetItemCommand', hidden('Ada'));
  expect(await columnsAt(0)).toMatchObject({ New: [1] });
  table.clear();

  expect(await columnsAt(1_000)).toMatchObject({ New: [1, 'Ada'] });
  expect(await columnsAt(60_000)).toMatchObject({ New: [1, 'Ada'] });
});

async function applicationsAt(milliseconds: number) {
  const { data } = expectStatus(await contacts.list({ pipelineType: 'Application' }, at(milliseconds)), 200);
  return (data as BoardResponse).Submitted?.total;
}

test('An application that is created between the reading of the cards and that of the counters is on the board that was asked for before it', async () => {
  const { _id: contactId } = await contacts.created({ firstName: 'Ada' });
  const applications = applicationsClient(product, admin);
  await applicationsAt(0);
  await applications.created({ contactId, name: 'First' });
  let [reads, isCreating] = [0, false];
  table.always('QueryCommand', async (next) => {
    const result = await next();
    if (!isCreating) {
      reads += 1;
      if (reads === 2) {
        isCreating = true;
        await applications.created({ contactId, name: 'Second' });
        isCreating = false;
      }
    }
    return result;
  });

  expect(await applicationsAt(10)).toBe(2);
});

test('A board that changes faster than it can be read is a 503 that says so', async () => {
  const { _id: contactId } = await contacts.created({ firstName: 'Ada' });
  await applicationsClient(product, admin).created({ contactId, name: 'Loan' });
  let [edits, isEditing] = [0, false];
  table.always('QueryCommand', async (next) => {
    const result = await next();
    if (!isEditing) {
      isEditing = true;
      edits += 1;
      await contacts.update(contactId, { firstName: `Ada ${edits}` });
      isEditing = false;
    }
    return result;
  });

  expect(await contacts.list({ pipelineType: 'Application' }, at(0))).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { message: 'The board is changing too fast to be read. Try again.' },
  });
});
