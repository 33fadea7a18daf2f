import { faker } from '@faker-js/faker';
import { expect, test } from 'vitest';
import { toConsent } from '../../shared/contacts/consent.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { type ModelQuery, modelBoard, type Viewer } from './board-model.ts';
import { type BoardResponse, contactsClient } from './client.ts';
import { CommitOrder, type Contacts, type Span } from './commit-order.ts';

const table = setUpFaultyTable();
const { product, admin, head, rep } = await setUpTenants();

const [changes, writers, readers] = [600, 16, 8];
const stages = ['New', 'Contacted', 'Qualified', 'Won', 'Lost'];
const team = [head.userId, rep.userId];
const people = [admin, head, rep].map(({ userId }) => userId);
const pick = faker.helpers.arrayElement;

const viewers = [
  { person: admin, viewer: { userId: admin.userId, scope: 'organization', team: [admin.userId] } },
  { person: rep, viewer: { userId: rep.userId, scope: [rep.userId], team } },
  { person: head, viewer: { userId: head.userId, scope: team, team } },
] as const satisfies { viewer: Viewer; person: unknown }[];
const queries: (ModelQuery & { size?: number })[] = [
  {},
  { size: 2 },
  { ownerFilter: 'unassigned' },
  { ownerFilter: 'my' },
  { search: 'an' },
  { search: 'zzzqq' },
  { bulkOnly: true },
];

interface Answered {
  readonly viewer: Viewer;
  readonly query: ModelQuery;
  readonly size: number;
  readonly page: number;
  readonly board: BoardResponse;
  readonly span: Span;
}

faker.seed(5_000);
const order = new CommitOrder(table);
const contacts = contactsClient(product, admin);
const living = new Set<string>();
const answered: Answered[] = [];
let begun = 0;

async function change(): Promise<void> {
  const id = pick(['none', ...[...living].slice(-20)]);
  const fields = {
    firstName: faker.person.firstName(),
    owner: pick([null, ...people]),
    assignees: faker.helpers.arrayElements(people, { min: 0, max: 1 }),
    isBulkImport: faker.datatype.boolean(),
  };
  const kind = pick(['create', 'create', 'create', 'edit', 'edit', 'move', 'move', 'delete']);
  if (kind === 'create') {
    const { status, body } = await contacts.create({ ...fields, stage: pick(stages) });
    expect(status).toBe(201);
    living.add(body.data._id);
  } else if (kind === 'edit') {
    await contacts.update(id, fields);
  } else if (kind === 'move') {
    await contacts.move(id, { stage: pick(stages) });
  } else {
    living.delete(id);
    await contacts.remove(id);
  }
}

async function write(): Promise<void> {
  while (begun < changes) {
    begun += 1;
    await change();
  }
}

async function read(): Promise<void> {
  while (begun < changes) {
    const { person, viewer } = pick(viewers);
    const query = pick(queries);
    const page = pick([1, 1, 2]);
    const { size = 25, ...asked } = query;
    const pages = Object.fromEntries(stages.map((stage) => [stage, page]));
    const { result: board, span } = await order.during(() =>
      contactsClient(product, person).board({ ...asked, size, page: pages }),
    );
    answered.push({ viewer, query: asked, size, page, board, span });
  }
}

await Promise.all([...Array.from({ length: writers }, write), ...Array.from({ length: readers }, read)]);

/** A column as its cards and its total. */
const columnOf = (board: BoardResponse, stage: string) => [
  board[stage]?.total,
  ...(board[stage]?.contacts ?? []).map(({ _id, firstName, owner }) => `${_id} ${firstName} ${owner}`),
];

const stageNames = new Map<string, string>();
for (const { board } of answered) {
  for (const { contacts: shown } of Object.values(board)) {
    for (const { stageId, stage } of shown) {
      stageNames.set(stageId, stage);
    }
  }
}

/** The same columns in this state, computed contact by contact. */
function expectedIn(state: Contacts, { viewer, query, size, page }: Answered): Map<string, unknown[]> {
  const records = [...state.values()].map((contact) => ({
    ...contact,
    fullName: '',
    externalId: null,
    stage: stageNames.get(contact.stageId) ?? '',
    consent: toConsent(contact),
  }));
  const board = modelBoard(records, stages, query, viewer, new Date());
  return new Map(
    stages.map((stage) => {
      const ids = board.get(stage) ?? [];
      const shown = ids.slice((page - 1) * size, page * size);
      const cards = shown.map((id) => `${id} ${state.get(id)?.firstName} ${state.get(id)?.owner}`);
      return [stage, [ids.length, ...cards]];
    }),
  );
}

test(`While 16 writers make ${changes} random changes, every column that 8 readers get, cards and total together, is one that there was between request and response`, () => {
  const wrong = answered.flatMap((response) => {
    const { query, board, span } = response;
    const columns = new Map(stages.map((stage) => [stage, JSON.stringify(columnOf(board, stage))]));
    for (const state of order.statesIn(span)) {
      for (const [stage, column] of expectedIn(state, response)) {
        if (JSON.stringify(column) === columns.get(stage)) {
          columns.delete(stage);
        }
      }
      if (columns.size === 0) {
        break;
      }
    }
    return [...columns].map(([stage, column]) => ({ query, stage, column }));
  });
  expect(answered.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
});

test('After the last change every board equals the contacts that are left', async () => {
  const span = await order.during(async () => undefined);
  const [state] = order.statesIn(span.span);
  for (const { person, viewer } of viewers) {
    for (const { size = 100, ...query } of queries) {
      const board = await contactsClient(product, person).board({ ...query, size });
      const response = { viewer, query, size, page: 1, board, span: span.span };
      expect(new Map(stages.map((stage) => [stage, columnOf(board, stage)]))).toEqual(
        expectedIn(state ?? new Map(), response),
      );
    }
  }
});
