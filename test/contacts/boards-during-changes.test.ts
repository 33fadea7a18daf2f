import { beforeEach, expect, test } from 'vitest';
import { applicationsClient } from '../applications/client.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { type ContactsClient, contactsClient } from './client.ts';
import type { Fault } from './faulty-table.ts';
import { boardsSince, kinds, search } from './repeated-board.ts';

const { product } = await setUpTenants();
const table = setUpFaultyTable();
const { at, found, settle } = boardsSince(Date.now());

let admin: Person;
let contacts: ContactsClient;
beforeEach(async () => {
  table.clear();
  admin = await product.newOrganization();
  contacts = contactsClient(product, admin);
});

type Items = { data?: unknown; pk?: string }[];

/** The counters of a transaction show at once, and these items only later. */
const without = (isHidden: (item: Items[number]) => boolean): Fault => {
  const visible = (items: Items) => items.filter((item) => !isHidden(item));
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
  await found(contacts, -60_000);
  await contacts.created({ firstName: 'Ada', lastName: 'One' });
  const hidden = without(({ data }) => String(data).includes('Ada'));
  table.always('QueryCommand', hidden);
  table.always('BatchGetItemCommand', hidden);
  expect(await found(contacts, 0)).toMatchObject({ New: [1] });
  table.clear();

  expect(await found(contacts, 1_000)).toEqual({ New: [1, 'One'] });
  expect(await found(contacts, 60_000)).toEqual({ New: [1, 'One'] });
});

test('A contact whose record becomes visible later than its counter is in a search as soon as the counter shows it', async () => {
  await contacts.created({ firstName: 'Ada', lastName: 'One' });
  await settle(contacts, search);
  const { _id } = await contacts.created({ firstName: 'Ada', lastName: 'Two' });
  const hidden = without(({ pk }) => pk?.includes(_id) === true);
  table.next('BatchGetItemCommand', hidden, hidden, hidden);

  for (const milliseconds of [2_000, 2_010, 4_000]) {
    expect(await found(contacts, milliseconds, search)).toEqual({ New: [2, 'Two', 'One'] });
  }
});

test('While a counter shows an edit later than the record, a search is as before or as after it, and as after it from then on', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada', lastName: 'One' });
  await settle(contacts, search);
  let former: unknown;
  table.always('QueryCommand', async (next, input = {}) => {
    const result = await next();
    if (!JSON.stringify(input).includes('COUNTS')) {
      return result;
    }
    former ??= result;
    return former;
  });
  await found(contacts, 2_000, search);
  expectStatus(await contacts.update(_id, { lastName: 'Two' }), 200);
  for (const body of [search, { search: 'ad' }]) {
    expect([
      [1, 'One'],
      [1, 'Two'],
    ]).toContainEqual((await found(contacts, 2_010, body)).New);
  }
  table.clear();

  for (const milliseconds of [2_020, 2_030, 4_000]) {
    for (const body of [search, { search: 'ad' }]) {
      expect(await found(contacts, milliseconds, body)).toEqual({ New: [1, 'Two'] });
    }
  }
});

/** Lets something happen once, after the table has answered such a query and before the answer arrives. */
function afterQuery(isMeant: (query: string) => boolean, happens: () => Promise<unknown>): void {
  let isFirst = true;
  table.always('QueryCommand', async (next, input = {}) => {
    const result = await next();
    if (isFirst && isMeant(JSON.stringify(input))) {
      isFirst = false;
      await happens();
    }
    return result;
  });
}

const isOfCounters = (query: string) => query.includes('COUNTS');

test('A contact that moves while a search is under way is in one column, not in two and not in none', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada', lastName: 'One' });
  await contacts.created({ firstName: 'Ada', lastName: 'Two', stage: 'Won' });
  for (const to of ['Won', 'New']) {
    await settle(contacts, search);
    afterQuery(isOfCounters, async () => {
      expectStatus(await contacts.move(_id, { stage: to }), 200);
    });

    const columns = await found(contacts, 2_000, search);
    table.clear();

    const names = Object.values(columns).flatMap(([, ...lastNames]) => lastNames);
    expect(names.filter((name) => name === 'One')).toHaveLength(1);
  }
});

test.each(kinds)(
  'A contact that leaves a stage just before the stage is deleted is in one column of %s',
  async (_, body) => {
    const pipelines = pipelinesClient(product, admin);
    const [{ _id: pipelineId = '', stages = [] } = {}] = await pipelines.list('Contact');
    const [first, second, ...others] = stages;
    const { _id } = await contacts.created({ firstName: 'Ada', lastName: 'One' });
    await settle(contacts, search);
    await settle(contacts, body);
    const renamed = { ...second, name: 'Fresh' };
    expectStatus(await pipelines.update(pipelineId, { stages: [first, renamed, ...others] }), 200);
    afterQuery(isOfCounters, async () => {
      expectStatus(await contacts.move(_id, { stageId: second?._id }), 200);
      expectStatus(await pipelines.update(pipelineId, { stages: [renamed, ...others] }), 200);
    });

    expect(Object.values(await found(contacts, 2_000, body))).toEqual([[1, 'One']]);
  },
);

test('An application that is created between the reading of the cards and that of the counters is on the board that was asked for before it', async () => {
  const { _id: contactId } = await contacts.created({ firstName: 'Ada', lastName: 'One' });
  const applications = applicationsClient(product, admin);
  const board = { pipelineType: 'Application' };
  await found(contacts, 0, board);
  await applications.created({ contactId, name: 'First' });
  let reads = 0;
  const isSecond = () => {
    reads += 1;
    return reads === 2;
  };
  afterQuery(isSecond, () => applications.created({ contactId, name: 'Second' }));

  expect((await found(contacts, 10, board)).Submitted?.[0]).toBe(2);
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
