import { afterEach, beforeEach, expect, test } from 'vitest';
import { unavailable } from '../../shared/kernel/transient-errors.ts';
import {
  type CommandName,
  conflict,
  type Fault,
  replyLost,
  throttled,
  timedOut,
} from '../contacts/faulty-table.ts';
import type { ApiResponse } from '../harness/call.ts';
import { readEvents } from '../harness/events.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, failure } from '../harness/tenants.ts';
import { newWorkflowsClient } from './client.ts';
import { incompressible } from './graphs.ts';
import { type WatchedDocuments, watchedDocuments } from './watched-documents.ts';

let documents: WatchedDocuments;
let workflows: Awaited<ReturnType<typeof newWorkflowsClient>>;
const product = await setUpProduct();
const table = setUpFaultyTable();
beforeEach(async () => {
  documents = await watchedDocuments(product);
  workflows = await newWorkflowsClient(product);
  table.clear();
});
afterEach(() => table.clear());

const transaction = 'TransactWriteItemsCommand';
const large = JSON.parse(incompressible(500_000));
const graphs = [
  ['in the table', 'small'],
  ['in the object store', large],
] as const;
const events = async () => (await readEvents(product, workflows.admin.organizationId)).length;

function expectUnavailable({ status, body, headers }: ApiResponse): void {
  expect({ status, body }).toEqual(failure(503, 'The service is busy. Try again shortly.'));
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
}

/** Something else happens before the request is really sent. */
const overtakenBy =
  (act: () => Promise<unknown>): Fault =>
  async (next) => {
    await act();
    return next();
  };
const undisturbed: Fault = (next) => next();

for (const [location, fill] of graphs) {
  test(`With the document ${location} a create happens once when conflicts, a time-out, throttling and a lost reply come before its success`, async () => {
    table.next(transaction, conflict, timedOut, throttled, conflict, replyLost);
    const { status, body } = await workflows.create({ name: 'Once', fill });
    expect(status).toBe(201);
    const tokens = table.tries(transaction).map(({ ClientRequestToken }) => ClientRequestToken);
    expect(tokens).toHaveLength(6);
    expect(new Set(tokens).size).toBe(1);
    expect(await workflows.everything()).toEqual([body.data]);
    expect(await events()).toBe(1);
    expect((await workflows.create({ name: 'Once' })).status).toBe(400);
  });

  test(`With the document ${location} a change whose reply is lost happens once`, async () => {
    const { _id } = await workflows.created({ fill });
    for (const act of [
      () => workflows.toggle(_id),
      () => workflows.update(_id, { name: 'Renamed', fill: `${fill}!` }),
      () => workflows.remove(_id),
    ]) {
      table.next(transaction, replyLost);
      const before = await events();
      expect((await act()).status).toBe(200);
      expect(await events()).toBe(before + 1);
    }
    expect(await workflows.everything()).toEqual([]);
    expect(documents.kept.size).toBe(0);
  });

  test(`With the document ${location} a create whose replies are all lost is a 503, and the workflow is there as a whole`, async () => {
    table.always(transaction, replyLost);
    expectUnavailable(await workflows.create({ name: 'Unheard', fill }));
    table.clear();
    const [only, ...others] = await workflows.everything();
    expect([only?.name, only?.fill === fill, others]).toEqual(['Unheard', true, []]);
    expect(documents.kept.size).toBe(location === 'in the table' ? 0 : 1);
  });

  test.each([
    ['times out', timedOut],
    ['meets conflicts', conflict],
  ])(
    `With the document ${location} a change that %s every time is a 503, and leaves everything as it was`,
    async (_, fault) => {
      const { _id } = await workflows.created({ fill });
      const before = { listed: await workflows.everything(), events: await events() };
      table.always(transaction, fault);
      const responses = await Promise.all([
        workflows.create({ name: 'New', fill }),
        workflows.update(_id, { name: 'New', fill: 1 }),
        workflows.toggle(_id),
        workflows.remove(_id),
      ]);
      responses.forEach(expectUnavailable);
      table.clear();
      expect({ listed: await workflows.everything(), events: await events() }).toEqual(before);
      expect((await workflows.create({ name: 'New' })).status).toBe(201);
    },
  );

  /** Between the reading of the header and that of the document. */
  const between = (command: CommandName, change: () => Promise<unknown>) => {
    if (location === 'in the object store') {
      documents.before('get', change);
    } else if (command === 'GetItemCommand') {
      table.next(command, undisturbed, overtakenBy(change));
    } else {
      table.next(command, overtakenBy(change));
    }
  };

  test(`With the document ${location} a read or a list that meets a change shows the workflow as it was or as it is, never half of each`, async () => {
    const { _id } = await workflows.created({ fill, version: 1 });
    for (const [command, version] of [
      ['GetItemCommand', 2],
      ['BatchGetItemCommand', 3],
    ] as const) {
      const next = `${fill}${version}`;
      between(command, () => workflows.update(_id, { fill: next, version, description: `${version}` }));
      const response = command === 'GetItemCommand' ? await workflows.read(_id) : await workflows.list();
      const [data] = [expectStatus(response, 200).data].flat();
      expect({ ...data, fill: data.fill === next }).toMatchObject({
        fill: true,
        version,
        description: `${version}`,
      });
    }
  });

  test(`With the document ${location} a read or a list that meets a removal shows nothing`, async () => {
    const [one, other] = [await workflows.created({ fill }), await workflows.created({ fill })];
    between('GetItemCommand', () => workflows.remove(one._id));
    expect((await workflows.read(one._id)).status).toBe(404);
    between('BatchGetItemCommand', () => workflows.remove(other._id));
    expect((await workflows.list()).body).toEqual({ success: true, data: [], nextCursor: null });
  });
}

const fails = () => {
  throw unavailable(new Error('The store does not answer'));
};

test('An object store that fails when a document is stored makes a 503, and nothing has happened', async () => {
  const { _id } = await workflows.created();
  const before = await workflows.everything();
  documents.before('put', fails);
  expectUnavailable(await workflows.create({ name: 'New', fill: large }));
  documents.before('put', fails);
  expectUnavailable(await workflows.update(_id, { name: 'New', fill: large }));
  expect(await workflows.everything()).toEqual(before);
  expect((await workflows.create({ name: 'New', fill: large })).status).toBe(201);
});

test('An object store that fails when a document is read makes a 503', async () => {
  const { _id } = await workflows.created({ fill: large });
  for (const act of [() => workflows.read(_id), () => workflows.list(), () => workflows.toggle(_id)]) {
    documents.before('get', fails);
    expectUnavailable(await act());
  }
  expect((await workflows.read(_id)).body.data.enabled).toBe(false);
});

test('An object store that fails when a replaced document is removed does not matter to the one who replaced it', async () => {
  const { _id } = await workflows.created({ fill: large });
  documents.before('remove', fails);
  expect((await workflows.update(_id, { fill: 1 })).status).toBe(200);
  expect((await workflows.read(_id)).body.data.fill).toBe(1);
});
