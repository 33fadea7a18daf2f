import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unavailable } from '../../shared/kernel/transient-errors.ts';
import { eventsOf } from '../contacts/desk.ts';
import {
  type CommandName,
  conflict,
  type Fault,
  type FaultyTable,
  faultyTable,
  replyLost,
  throttled,
  timedOut,
} from '../contacts/faulty-table.ts';
import { type Answer, type Product, startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { incompressible } from './graphs.ts';
import { newStudio } from './studio.ts';
import { type WatchedDocuments, watchedDocuments } from './watched-documents.ts';

let product: Product;
let table: FaultyTable;
let documents: WatchedDocuments;
let studio: Awaited<ReturnType<typeof newStudio>>;
beforeAll(async () => {
  product = await startProduct();
  table = faultyTable();
});
beforeEach(async () => {
  documents = await watchedDocuments(product);
  studio = await newStudio(product);
  table.clear();
});
afterEach(() => table.clear());
afterAll(async () => {
  table.restore();
  await product.stop();
});

const transaction = 'TransactWriteItemsCommand';
const large = JSON.parse(incompressible(500_000));
const graphs = [
  ['in the table', 'small'],
  ['in the object store', large],
] as const;
const events = async () => (await eventsOf(product, studio.admin.organizationId)).length;

function expectUnavailable({ status, body, headers }: Answer): void {
  expect({ status, body }).toEqual({
    status: 503,
    body: { success: false, message: 'The service is busy. Try again shortly.' },
  });
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

describe.each(graphs)('with the document %s', (place, fill) => {
  it('a create happens once when conflicts, a time-out, throttling and a lost reply come before its answer', async () => {
    table.next(transaction, conflict, timedOut, throttled, conflict, replyLost);
    const { status, body } = await studio.create({ name: 'Once', fill });
    expect(status).toBe(201);
    const tokens = table.tries(transaction).map(({ ClientRequestToken }) => ClientRequestToken);
    expect(tokens).toHaveLength(6);
    expect(new Set(tokens).size).toBe(1);
    expect(await studio.everything()).toEqual([body.data]);
    expect(await events()).toBe(1);
    expect((await studio.create({ name: 'Once' })).status).toBe(400);
  });

  it('a change whose reply is lost happens once', async () => {
    const { _id } = await studio.created({ fill });
    for (const act of [
      () => studio.toggle(_id),
      () => studio.update(_id, { name: 'Renamed', fill: `${fill}!` }),
      () => studio.remove(_id),
    ]) {
      table.next(transaction, replyLost);
      const before = await events();
      expect((await act()).status).toBe(200);
      expect(await events()).toBe(before + 1);
    }
    expect(await studio.everything()).toEqual([]);
    expect(documents.kept.size).toBe(0);
  });

  it('a create whose replies are all lost is a 503, and the workflow is there as a whole', async () => {
    table.always(transaction, replyLost);
    expectUnavailable(await studio.create({ name: 'Unheard', fill }));
    table.clear();
    const [only, ...others] = await studio.everything();
    expect([only?.name, only?.fill === fill, others]).toEqual(['Unheard', true, []]);
    expect(documents.kept.size).toBe(place === 'in the table' ? 0 : 1);
  });

  it.each([
    ['times out', timedOut],
    ['meets conflicts', conflict],
  ])('a change that %s every time is a 503, and leaves everything as it was', async (_, fault) => {
    const { _id } = await studio.created({ fill });
    const before = { listed: await studio.everything(), events: await events() };
    table.always(transaction, fault);
    const answers = await Promise.all([
      studio.create({ name: 'New', fill }),
      studio.update(_id, { name: 'New', fill: 1 }),
      studio.toggle(_id),
      studio.remove(_id),
    ]);
    answers.forEach(expectUnavailable);
    table.clear();
    expect({ listed: await studio.everything(), events: await events() }).toEqual(before);
    expect((await studio.create({ name: 'New' })).status).toBe(201);
  });

  /** Between the reading of the header and that of the document. */
  const between = (command: CommandName, change: () => Promise<unknown>) => {
    if (place === 'in the object store') {
      documents.before('get', change);
    } else if (command === 'GetItemCommand') {
      table.next(command, undisturbed, overtakenBy(change));
    } else {
      table.next(command, overtakenBy(change));
    }
  };

  it('a read or a list that meets a change shows the workflow as it was or as it is, never half of each', async () => {
    const { _id } = await studio.created({ fill, version: 1 });
    for (const [command, version] of [
      ['GetItemCommand', 2],
      ['BatchGetItemCommand', 3],
    ] as const) {
      const next = `${fill}${version}`;
      between(command, () => studio.update(_id, { fill: next, version, description: `${version}` }));
      const answer = command === 'GetItemCommand' ? await studio.read(_id) : await studio.list();
      const [data] = [expectStatus(answer, 200).data].flat();
      expect({ ...data, fill: data.fill === next }).toMatchObject({
        fill: true,
        version,
        description: `${version}`,
      });
    }
  });

  it('a read or a list that meets a removal shows nothing', async () => {
    const [one, other] = [await studio.created({ fill }), await studio.created({ fill })];
    between('GetItemCommand', () => studio.remove(one._id));
    expect((await studio.read(one._id)).status).toBe(404);
    between('BatchGetItemCommand', () => studio.remove(other._id));
    expect((await studio.list()).body).toEqual({ success: true, data: [], nextCursor: null });
  });
});

describe('an object store that fails', () => {
  const fails = () => {
    throw unavailable(new Error('The store does not answer'));
  };

  it('when a document is stored makes a 503, and nothing has happened', async () => {
    const { _id } = await studio.created();
    const before = await studio.everything();
    documents.before('put', fails);
    expectUnavailable(await studio.create({ name: 'New', fill: large }));
    documents.before('put', fails);
    expectUnavailable(await studio.update(_id, { name: 'New', fill: large }));
    expect(await studio.everything()).toEqual(before);
    expect((await studio.create({ name: 'New', fill: large })).status).toBe(201);
  });

  it('when a document is read makes a 503', async () => {
    const { _id } = await studio.created({ fill: large });
    for (const act of [() => studio.read(_id), () => studio.list(), () => studio.toggle(_id)]) {
      documents.before('get', fails);
      expectUnavailable(await act());
    }
    expect((await studio.read(_id)).body.data.enabled).toBe(false);
  });

  it('when a replaced document is removed does not matter to the one who replaced it', async () => {
    const { _id } = await studio.created({ fill: large });
    documents.before('remove', fails);
    expect((await studio.update(_id, { fill: 1 })).status).toBe(200);
    expect((await studio.read(_id)).body.data.fill).toBe(1);
  });
});
