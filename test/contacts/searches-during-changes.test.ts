import { beforeEach, expect, test } from 'vitest';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { type ContactsClient, contactsClient } from './client.ts';
import type { Fault } from './faulty-table.ts';
import { search, searchesSince } from './repeated-search.ts';

const { product } = await setUpWorld();
const table = setUpFaultyTable();
const { found, settle } = searchesSince(Date.now());

let admin: Person;
let contacts: ContactsClient;
beforeEach(async () => {
  table.clear();
  admin = await product.newOrganization();
  contacts = contactsClient(product, admin);
});

/** Of a transaction, the counters show at once, the contact's record only later. */
const withoutRecord =
  (contactId: string): Fault =>
  async (next) => {
    const result = (await next()) as { output: { Responses?: Record<string, { pk?: string }[]> } };
    const Responses = Object.fromEntries(
      Object.entries(result.output.Responses ?? {}).map(([name, items]) => [
        name,
        items.filter(({ pk }) => !pk?.includes(contactId)),
      ]),
    );
    return { ...result, output: { ...result.output, Responses } };
  };

test('A contact whose record becomes visible later than its counter is in a cached search as soon as the counter shows it', async () => {
  await contacts.created({ firstName: 'Ada', lastName: 'One' });
  await settle(contacts);
  const { _id } = await contacts.created({ firstName: 'Ada', lastName: 'Two' });
  table.next('BatchGetItemCommand', withoutRecord(_id), withoutRecord(_id), withoutRecord(_id));

  for (const milliseconds of [2_000, 2_010, 4_000]) {
    expect(await found(contacts, milliseconds)).toEqual({ New: [2, 'Two', 'One'] });
  }
});

test('While a counter shows an edit later than the record, a cached search is as before or as after it, and as after it from then on', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada', lastName: 'One' });
  await settle(contacts);
  let former: unknown;
  table.always('QueryCommand', async (next, input = {}) => {
    const result = await next();
    if (!JSON.stringify(input).includes('COUNTS')) {
      return result;
    }
    former ??= result;
    return former;
  });
  await found(contacts, 2_000);
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

/** Lets something happen after the counters were read, and before they arrive. */
function afterCounters(happens: () => Promise<unknown>): void {
  let isFirst = true;
  table.always('QueryCommand', async (next, input = {}) => {
    const result = await next();
    if (isFirst && JSON.stringify(input).includes('COUNTS')) {
      isFirst = false;
      await happens();
    }
    return result;
  });
}

test('A contact that moves while a search is under way is in one column, not in two and not in none', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada', lastName: 'One' });
  await contacts.created({ firstName: 'Ada', lastName: 'Two', stage: 'Won' });
  for (const to of ['Won', 'New']) {
    await settle(contacts);
    afterCounters(async () => {
      expectStatus(await contacts.move(_id, { stage: to }), 200);
    });

    const columns = await found(contacts, 2_000);
    table.clear();

    const names = Object.values(columns).flatMap(([, ...lastNames]) => lastNames);
    expect(names.filter((name) => name === 'One')).toHaveLength(1);
  }
});

test.each([
  ['the plain board', {}],
  ['a cached search', search],
])(
  'A contact that leaves a stage just before the stage is deleted is in one column of %s',
  async (_, body) => {
    const pipelines = pipelinesClient(product, admin);
    const [{ _id: pipelineId = '', stages = [] } = {}] = await pipelines.list('Contact');
    const [first, second, ...others] = stages;
    const { _id } = await contacts.created({ firstName: 'Ada', lastName: 'One' });
    await settle(contacts);
    await settle(contacts, body);
    const renamed = { ...second, name: 'Fresh' };
    expectStatus(await pipelines.update(pipelineId, { stages: [first, renamed, ...others] }), 200);
    afterCounters(async () => {
      expectStatus(await contacts.move(_id, { stageId: second?._id }), 200);
      expectStatus(await pipelines.update(pipelineId, { stages: [renamed, ...others] }), 200);
    });

    expect(Object.values(await found(contacts, 2_000, body))).toEqual([[1, 'One']]);
  },
);
