import { faker } from '@faker-js/faker';
import { afterEach, expect, test } from 'vitest';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { applicationsClient } from '../applications/client.ts';
import { contactsClient } from '../contacts/client.ts';
import type { Fault } from '../contacts/faulty-table.ts';
import { rawContacts } from '../contacts/raw-table.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/world.ts';
import { type PipelinesClient, pipelinesClient } from './client.ts';

const product = await setUpProduct();
const table = setUpFaultyTable();
const admin = await product.newOrganization();
const pipelines = pipelinesClient(product, admin);
const contacts = contactsClient(product, admin);
const applications = applicationsClient(product, admin);
afterEach(() => table.clear());

const transaction = 'TransactWriteItemsCommand';

/** Everything that stands in a stage stands in one that there is. */
async function expectNobodyNowhere(): Promise<void> {
  const stages = new Set((await pipelines.list()).flatMap((one) => one.stages.map(({ _id }) => _id)));
  const { entries } = await rawContacts(product, admin.organizationId);
  const nowhere = entries.filter((entry) => !stages.has(entry.slice(0, entry.indexOf(' '))));
  expect(nowhere).toEqual([]);
}

/** Lets the event loop go round this often. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A way into a stage: what it needs beforehand, and the call that enters. */
interface Way {
  readonly type: Pipeline['type'];
  prepare(): Promise<string>;
  enter(id: string, stageId: string): Promise<ApiResponse>;
}

const newContact = async () => (await contacts.created({ firstName: 'Waiting', stage: 'New' }))._id;
const ways: Record<string, Way> = {
  'a contact created there': {
    type: 'Contact',
    prepare: async () => '',
    enter: (_, stageId) => contacts.create({ firstName: 'New', stageId }),
  },
  'a contact moved there': {
    type: 'Contact',
    prepare: newContact,
    enter: (id, stageId) => contacts.move(id, { stageId }),
  },
  'an application created there': {
    type: 'Application',
    prepare: newContact,
    enter: (contactId, stageId) => applications.create({ contactId, name: 'New', stageId }),
  },
  'an application moved there': {
    type: 'Application',
    prepare: async () => (await applications.created({ contactId: await newContact(), name: 'Waiting' }))._id,
    enter: (id, stageId) => applications.move(id, { stageId }),
  },
};

/** The least number of rounds, and the most: between them, the test goes on until simultaneous calls have had every possible outcome. */
const rounds = { least: 40, most: 80 };

const noSuchStage = {
  Contact: 'stageId is not the id of a stage of a Contact pipeline',
  Application: 'stageId is not the id of a stage of an Application pipeline',
};

for (const name of Object.keys(ways)) {
  const { type, prepare, enter } = ways[name] as Way;
  test(`A stage that is removed, and ${name} at the same moment, many times: one of both succeeds, and the other is told why not`, async () => {
    faker.seed(40);
    const [pipeline] = (await pipelines.list(type)) as [Pipeline];
    const outcomes = new Set<string>();
    for (let round = 0; round < rounds.least || (outcomes.size < 2 && round < rounds.most); round += 1) {
      const id = await prepare();
      const { stages } = expectStatus(
        await pipelines.update(pipeline._id, { stages: [...pipeline.stages, { name: `Passing ${round}` }] }),
        200,
      ).data as Pipeline;
      const stageId = stages.at(-1)?._id ?? '';
      const [early, late] = [faker.number.int(20), faker.number.int(8)];
      const [removed, entered] = await Promise.all([
        turns(early).then(() => pipelines.update(pipeline._id, { stages: pipeline.stages })),
        turns(late).then(() => enter(id, stageId)),
      ]);
      outcomes.add(`${removed.status} ${entered.status < 300 ? 'in' : entered.status}`);
      if (removed.status === 409) {
        expect(removed.body.message).toMatch(
          `The stage "Passing ${round}" still holds ${type.toLowerCase()}s.`,
        );
        const { _id } = entered.body.data;
        const out = type === 'Contact' ? contacts : applications;
        expectStatus(await out.remove(_id), 200);
        expectStatus(await pipelines.update(pipeline._id, { stages: pipeline.stages }), 200);
      } else {
        expect(entered.body.message).toBe(noSuchStage[type]);
      }
    }
    expect(outcomes).toEqual(new Set(['200 404', '409 in']));
    await expectNobodyNowhere();
  });

  test(`A stage that is removed, and ${name} just before it enters: it is told that there is no such stage`, async () => {
    const [pipeline] = (await pipelines.list(type)) as [Pipeline];
    const id = await prepare();
    const { stages } = expectStatus(
      await pipelines.update(pipeline._id, { stages: [...pipeline.stages, { name: 'Passing' }] }),
      200,
    ).data as Pipeline;
    // The transaction that enters is held back until the stage is gone.
    const held: Fault = async (next) => {
      expectStatus(await pipelines.update(pipeline._id, { stages: pipeline.stages }), 200);
      return next();
    };
    table.next(transaction, held);
    expect(await enter(id, stages.at(-1)?._id ?? '')).toMatchObject({
      status: 404,
      body: { message: noSuchStage[type] },
    });
    await expectNobodyNowhere();
  });
}

test('The first stage of the active pipeline is removed while new contacts enter it unseen, many times: each is in a stage that there is', async () => {
  const [pipeline] = (await pipelines.list('Contact')) as [Pipeline];
  const outcomes = new Set<string>();
  const wanted = ['200 New', '409 Door n'];
  const isDone = () => wanted.every((one) => outcomes.has(one));
  for (let round = 0; round < rounds.least || (!isDone() && round < rounds.most); round += 1) {
    const stages = [{ name: `Door ${round}` }, ...pipeline.stages];
    expectStatus(await pipelines.update(pipeline._id, { stages }), 200);
    const [removed, ...entered] = await Promise.all([
      turns(round % 10).then(() => pipelines.update(pipeline._id, { stages: pipeline.stages })),
      ...[0, 3].map((late) => turns(late).then(() => contacts.create({ firstName: 'Unseen' }))),
    ]);
    const names = entered.map((response) => expectStatus(response, 201).data.stage);
    for (const name of names) {
      outcomes.add(`${removed.status} ${name.replace(/\d+/, 'n')}`);
    }
    if (removed.status === 409) {
      for (const { body } of entered) {
        expectStatus(await contacts.remove(body.data._id), 200);
      }
      expectStatus(await pipelines.update(pipeline._id, { stages: pipeline.stages }), 200);
    } else {
      expect(names).toEqual(['New', 'New']);
    }
  }
  expect([...outcomes]).toEqual(expect.arrayContaining(wanted));
  await expectNobodyNowhere();
});

test.each<[string, (own: PipelinesClient, pipeline: Pipeline) => Promise<ApiResponse>, string]>([
  [
    'is renamed',
    (own, { _id, stages: [first, ...others] }) =>
      own.update(_id, { stages: [{ _id: first?._id, name: 'Entrance' }, ...others] }),
    'Entrance',
  ],
  [
    'gives way to another',
    (own, { _id, stages: [first, second, ...others] }) =>
      own.update(_id, { stages: [second, first, ...others] }),
    'Contacted',
  ],
  ['is removed', (own, { _id, stages: [, ...others] }) => own.update(_id, { stages: others }), 'Contacted'],
  [
    'is that of another pipeline',
    async (own) => {
      const { _id } = await own.created({ name: 'Partners', stages: ['Invited'] });
      return own.update(_id, { isActive: true });
    },
    'Invited',
  ],
])(
  'The first stage of the active pipeline %s: the next contact enters the stage that is first now',
  async (_, change, expected) => {
    const person = await product.newOrganization();
    const [own, ownContacts] = [pipelinesClient(product, person), contactsClient(product, person)];
    const [pipeline] = (await own.list('Contact')) as [Pipeline];
    const { _id } = await ownContacts.created({ firstName: 'Before' });
    expectStatus(await ownContacts.remove(_id), 200);
    expectStatus(await change(own, pipeline), 200);
    expect((await ownContacts.create({ firstName: 'After' })).body.data).toMatchObject({ stage: expected });
    expect((await ownContacts.board())[expected]).toMatchObject({ total: 1 });
  },
);
