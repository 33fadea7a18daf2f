import { afterEach, expect, test } from 'vitest';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { applicationsClient } from '../applications/client.ts';
import { contactsClient } from '../contacts/client.ts';
import type { Fault } from '../contacts/faulty-table.ts';
import { rawContacts } from '../contacts/raw-table.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
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
  const stages = new Set(
    (await pipelines.list()).flatMap((pipeline) => pipeline.stages.map(({ _id }) => _id)),
  );
  const { entries } = await rawContacts(product, admin.organizationId);
  const nowhere = entries.filter((entry) => !stages.has(entry.slice(0, entry.indexOf(' '))));
  expect(nowhere).toEqual([]);
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

const noSuchStage = {
  Contact: 'stageId is not the id of a stage of a Contact pipeline',
  Application: 'stageId is not the id of a stage of an Application pipeline',
};

/** The pipeline of this type with one stage more, and the id of that stage. */
async function withStage(type: Pipeline['type'], position: 'first' | 'last') {
  const [{ _id, stages: others }] = (await pipelines.list(type)) as [Pipeline];
  const added = { name: 'Passing' };
  const more = position === 'first' ? [added, ...others] : [...others, added];
  const { stages } = expectStatus(await pipelines.update(_id, { stages: more }), 200).data as Pipeline;
  const stageId = stages.at(position === 'first' ? 0 : -1)?._id ?? '';
  return { stageId, removeStage: () => pipelines.update(_id, { stages: others }) };
}

/** The next transaction is held back until this has happened. */
function holdUntil(happens: () => Promise<unknown>): void {
  const held: Fault = async (next) => {
    await happens();
    return next();
  };
  table.clear();
  table.next(transaction, held);
}

const stillHolds = (type: Pipeline['type']) => ({
  status: 409,
  body: { message: `The stage "Passing" still holds ${type.toLowerCase()}s. Move or delete them first.` },
});

for (const name of Object.keys(ways)) {
  const { type, prepare, enter } = ways[name] as Way;
  test(`A stage that is removed, and ${name} at the same moment: whoever comes first succeeds, and the other is told why not`, async () => {
    const [late, early] = [await prepare(), await prepare()];
    const { stageId, removeStage } = await withStage(type, 'last');
    holdUntil(async () => expectStatus(await removeStage(), 200));
    const noStage = { status: 404, body: { message: noSuchStage[type] } };
    expect(await enter(late, stageId)).toMatchObject(noStage);
    await expectNobodyNowhere();

    const again = await withStage(type, 'last');
    let entered: ApiResponse | undefined;
    holdUntil(async () => {
      entered = await enter(early, again.stageId);
    });
    expect(await again.removeStage()).toMatchObject(stillHolds(type));
    expect(entered?.body.data).toMatchObject({ stage: 'Passing' });
    await expectNobodyNowhere();
    const out = type === 'Contact' ? contacts : applications;
    expectStatus(await out.remove(entered?.body.data._id), 200);
    expectStatus(await again.removeStage(), 200);
  });
}

test('The first stage of the active pipeline is removed while a new contact enters it unseen: the contact is in the stage that is first then, or the stage stays', async () => {
  const { removeStage } = await withStage('Contact', 'first');
  holdUntil(async () => expectStatus(await removeStage(), 200));
  expect(await contacts.created({ firstName: 'Unseen' })).toMatchObject({ stage: 'New' });
  await expectNobodyNowhere();

  const again = await withStage('Contact', 'first');
  holdUntil(async () => {
    expect(await contacts.created({ firstName: 'Unseen' })).toMatchObject({ stage: 'Passing' });
  });
  expect(await again.removeStage()).toMatchObject(stillHolds('Contact'));
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
