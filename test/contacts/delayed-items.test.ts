import { faker } from '@faker-js/faker';
import { expect, test } from 'vitest';
import { contactKey } from '../../shared/contacts/contact.ts';
import { after, second } from '../../shared/kernel/time.ts';
import { listedBoard } from '../column-index/indexed-boards.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { type BoardResponse, contactsClient } from './client.ts';
import { DelayedItems } from './delayed-items.ts';

const table = setUpFaultyTable();
const { product, admin, head, rep } = await setUpTenants();

const [changes, writers, readers] = [300, 8, 4];
const stages = ['New', 'Contacted', 'Won'];
const people = [admin, head, rep];
const queries = [{}, { search: 'an' }, { ownerFilter: 'my' }, { bulkOnly: true, size: 2 }];

faker.seed(2);
const pick = faker.helpers.arrayElement;
const delayed = new DelayedItems(table, (all) => pick(all), 40);
const contacts = contactsClient(product, admin);
const living: string[] = [];
let begun = 0;

async function write(): Promise<void> {
  while (begun < changes) {
    begun += 1;
    const fields = {
      firstName: faker.person.firstName(),
      owner: pick([null, admin.userId, head.userId, rep.userId]),
      isBulkImport: faker.datatype.boolean(),
    };
    const id = pick(['none', ...living]);
    const kind = living.length < 20 ? 'create' : pick(['create', 'edit', 'edit', 'edit', 'move', 'delete']);
    if (kind === 'create') {
      living.push((await contacts.created({ ...fields, stage: pick(stages) }))._id);
    } else if (kind === 'edit') {
      await contacts.update(id, fields);
    } else if (kind === 'move') {
      await contacts.move(id, { stage: pick(stages) });
    } else {
      living.splice(living.indexOf(id), id === 'none' ? 0 : 1);
      await contacts.remove(id);
    }
  }
}

async function read(): Promise<void> {
  while (begun < changes) {
    // What takes too long to become visible may be a 503, but nothing else.
    const { status } = await delayed.readLate(() =>
      contactsClient(product, pick(people)).list(pick(queries)),
    );
    expect([200, 503]).toContain(status);
  }
}

await Promise.all([...Array.from({ length: writers }, write), ...Array.from({ length: readers }, read)]);
// Once more while the latest items are not visible yet: what is cached now must not last.
for (const person of people) {
  for (const query of queries) {
    const { status } = await delayed.readLate(() =>
      contactsClient(product, person).list({ size: 100, ...query }),
    );
    expect([200, 503]).toContain(status);
  }
}
const quiet = after(new Date(), 2 * second);

/** Totals, and the cards as their records have them. */
async function recordsOn(board: BoardResponse): Promise<unknown[]> {
  const { table: reader } = product.tableOf(admin.organizationId);
  const shown = Object.entries(board).map(async ([stage, column]) => {
    const records = await reader.readMany(column.contacts.map(({ _id }) => contactKey(_id)));
    return [
      stage,
      column.total,
      ...records.map((record) => [record?.data._id, record?.data.firstName, record?.data.owner]),
    ];
  });
  return Promise.all(shown);
}

const cardsOn = (board: BoardResponse) =>
  Object.entries(board).map(([stage, { total, contacts: cards }]) => [
    stage,
    total,
    ...cards.map(({ _id, firstName, owner }) => [_id, firstName, owner]),
  ]);

/** Ids of the cards, and totals, by the lists of all contacts. */
async function listed(query: object): Promise<unknown[]> {
  const board = await listedBoard(product.tableOf(admin.organizationId).table, admin, query, quiet);
  return Object.values(board).map(({ ids, total }) => [total, ...ids]);
}

test(`After ${changes} changes, of each of which one item became visible late, every board is right two seconds after the last`, async () => {
  for (const person of people) {
    const client = contactsClient(product, person);
    for (const query of queries) {
      const said = `${person.role} ${JSON.stringify(query)}`;
      const board = await client.board({ size: 100, ...query }, quiet);
      expect(cardsOn(board), said).toEqual(await recordsOn(board));
      const scope =
        person === admin
          ? {}
          : { owner: person === head ? [head, rep].map(({ userId }) => userId) : [rep.userId] };
      if (person === admin || !('ownerFilter' in query)) {
        const idsOn = Object.values(board).map(({ total, contacts: cards }) => [
          total,
          ...cards.map(({ _id }) => _id),
        ]);
        expect(idsOn, said).toEqual(await listed({ size: 100, ...query, ...scope }));
      }
    }
  }
});
