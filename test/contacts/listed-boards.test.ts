import { beforeEach, expect, test } from 'vitest';
import { joined } from '../../shared/table/key.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus } from '../harness/world.ts';
import { type ContactsClient, contactsClient } from './client.ts';

// The board of somebody with few contacts, which a process reads from the lists of their users until that costs more than an index.

const { product } = await setUpWorld();
const table = setUpFaultyTable();

let contacts: ContactsClient;
let head: Person;
let reps: readonly [Person, Person];
beforeEach(async () => {
  table.clear();
  const admin = await product.newOrganization();
  contacts = contactsClient(product, admin);
  const { data } = await arrange(
    product.call('create-department', { token: admin.token, body: { name: 'North' } }),
  );
  const department = { departmentIds: [data._id] };
  head = await product.newColleague(admin, 'DEPARTMENT_HEAD', department);
  reps = [
    await product.newColleague(admin, 'SALES_REP', department),
    await product.newColleague(admin, 'SALES_REP', department),
  ];
  for (const firstName of ['Of', 'Somebody', 'Else']) {
    await contacts.created({ firstName });
  }
});

/** Lets something happen after the list of one user in a stage was read, and before that of another one is. */
function between(
  stageId: string,
  [former, latter]: readonly [Person, Person],
  happens: () => Promise<unknown>,
): void {
  const read = Promise.withResolvers<void>();
  let happened: Promise<unknown> | undefined;
  table.always('QueryCommand', async (next, input = {}) => {
    const text = JSON.stringify(input);
    const isListOf = ({ userId }: Person) => text.includes(joined(['BOARD', stageId, 'user', userId]));
    if (isListOf(latter)) {
      await read.promise;
      happened ??= happens();
      await happened;
    }
    const result = await next();
    if (isListOf(former)) {
      read.resolve();
    }
    return result;
  });
}

test.each([
  ['the board', {}],
  ['a search', { search: 'ada' }],
])(
  'A contact that goes from one member of a department to another is on %s of its head, also when that happens between the reading of their lists',
  async (_, query) => {
    const [giver, taker] = reps;
    const { _id, stageId } = await contacts.created({ firstName: 'Ada', owner: giver.userId });
    between(stageId, [taker, giver], async () => {
      expectStatus(await contacts.update(_id, { owner: taker.userId }), 200);
    });

    const { New } = await contactsClient(product, head).board(query);

    expect(New?.contacts.map(({ owner }) => owner)).toEqual([taker.userId]);
    expect(New?.total).toBe(1);
  },
);

test('What was read from lists is cached: the same search again costs no more than its users and two read units', async () => {
  await contacts.created({ firstName: 'Ada', owner: reps[0].userId });
  const client = contactsClient(product, head);
  const start = Date.now();
  for (const milliseconds of [0, 10, 1_100]) {
    expectStatus(await client.list({ search: 'ada' }, new Date(start + milliseconds)), 200);
  }

  const { body, consumed } = await client.list({ search: 'ada' }, new Date(start + 2_000));

  expect(body.data.New.total).toBe(1);
  expect(consumed).toMatchObject({ requests: 2, roundTrips: 2 });
});

test('Lists that changed while they were read, and are read again, count as often as they are read: the index takes their place that much earlier', async () => {
  const { _id, stageId } = await contacts.created({ firstName: 'Ada', owner: reps[0].userId });
  await contacts.created({ firstName: 'Grace', owner: reps[0].userId });
  const ofAll = joined(['BOARD', stageId, 'all']);
  const readings = () => table.tries('QueryCommand').filter((input) => JSON.stringify(input).includes(ofAll));
  between(stageId, reps, async () => {
    expectStatus(await contacts.update(_id, { lastName: 'Edited' }), 200);
  });
  const client = contactsClient(product, head);

  // Two readings of two contacts; a third one would cost more than the index of five.
  expect((await client.board({ search: 'edited' })).New?.total).toBe(1);
  expect(readings()).toEqual([]);

  expect((await client.board({ search: 'grace' })).New?.total).toBe(1);
  expect(readings()).not.toEqual([]);
});
