import { expect, test } from 'vitest';
import { startsInAnHour } from '../../functions/workflows/model/triggers/decide-starts.ts';
import { reservedStartsKey } from '../../functions/workflows/model/triggers/start-times.ts';
import { after, day, hour, minute } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tagStartsIn } from './tag-starts.ts';

const tenants = await setUpTenants();
const { product, admin, newContact } = tenants;
const { starts, call, update, newTag, onTag, runsOf } = await tagStartsIn(tenants);

/** Gives a contact a tag, takes it away, and has workflows told of both. */
async function tagAgain(contactId: string, tag: string): Promise<void> {
  await update(contactId, { tags: [tag] });
  await update(contactId, { tags: [] });
  await starts.tell();
}

test('A contact enters again after its run has ended, always, or never, as the workflow says', async () => {
  const settings = [{}, { reentry: 'always' }, { reentry: 'never' }] as const;
  const tag = newTag();
  const [usual, always, never] = await Promise.all(
    settings.map((setting) => starts.newWorkflow({ nodes: [onTag(tag)], settings: setting })),
  );
  if (!usual || !always || !never) {
    throw new Error('There are no workflows');
  }
  const { _id: contactId } = await newContact();
  await tagAgain(contactId, tag);
  await tagAgain(contactId, tag);
  const counts = async () =>
    Promise.all([usual, always, never].map(async (workflow) => (await runsOf(contactId, workflow)).length));
  expect(await counts()).toEqual([1, 2, 1]);
  for (const run of await starts.runs(contactId)) {
    await call('cancel-workflow-run', { path: { id: run._id } });
  }
  await tagAgain(contactId, tag);
  expect(await counts()).toEqual([2, 3, 1]);
  expect(
    await Promise.all(
      [usual, always, never].map(async (workflow) => (await starts.refusals(workflow)).refused),
    ),
  ).toEqual([{ reentry: 1 }, {}, { reentry: 2 }]);
});

test('No more than 20 runs of a workflow start for a contact in an hour; the next one does when the first is an hour old', async () => {
  const tag = newTag();
  const workflow = await starts.newWorkflow({ nodes: [onTag(tag)], settings: { reentry: 'always' } });
  const { _id: contactId } = await newContact();
  const start = new Date();
  const addTag = async (at: Date) => {
    await update(contactId, { tags: [tag] });
    await update(contactId, { tags: [] });
    await starts.tell(at);
  };
  for (let index = 0; index <= startsInAnHour; index += 1) {
    await addTag(after(start, index * minute));
  }
  expect(await runsOf(contactId, workflow)).toHaveLength(20);
  expect(await starts.refusals(workflow)).toMatchObject({
    refused: { rate_of_contact: 1 },
    lastRefusals: [{ reason: 'rate_of_contact', contactId, chain: [] }],
  });
  await addTag(after(start, hour - minute / 2));
  expect(await runsOf(contactId, workflow)).toHaveLength(20);
  await addTag(after(start, hour + minute / 2));
  expect(await runsOf(contactId, workflow)).toHaveLength(21);
});

test('No run starts for a contact that the owner cannot see, and nothing reveals whether a filter let its event pass', async () => {
  const owner = await product.newColleague(admin);
  const tag = newTag();
  const body = { name: tag, enabled: true, nodes: [onTag(tag)] };
  const workflow = await call('create-workflow', { body }, owner);
  const { _id: foreign } = await newContact();
  const { _id: own } = await newContact({ assignees: [owner.userId] });
  await starts.tell();
  await update(foreign, { tags: [tag] });
  await starts.tell();
  expect(await runsOf(foreign, workflow)).toEqual([]);
  expect(await starts.refusals(workflow)).toEqual({ refused: {}, lastRefusals: [] });

  await call('update-user', { path: { id: owner.userId }, body: { disabled: true } }, admin);
  await update(foreign, { tags: [] });
  await update(foreign, { tags: [tag] });
  await update(own, { tags: [tag] });
  await starts.tell();
  expect(await runsOf(own, workflow)).toEqual([]);
  expect(await starts.refusals(workflow)).toMatchObject({
    refused: { owner_disabled: 1 },
    lastRefusals: [{ reason: 'owner_disabled', contactId: own, nodeId: 'trigger' }],
  });
});

test('What was refused stays refused when the event is delivered again', async () => {
  const tag = newTag();
  const workflow = await starts.newWorkflow({ nodes: [onTag(tag)] });
  const { _id: contactId } = await newContact();
  await update(contactId, { tags: [tag] });
  await starts.tell();
  await update(contactId, { tags: [] });
  await update(contactId, { tags: [tag] });
  const records = await starts.newRecords();
  await starts.deliver(records);
  expect((await starts.refusals(workflow)).refused).toEqual({ reentry: 1 });
  const [run] = await runsOf(contactId, workflow);
  await call('cancel-workflow-run', { path: { id: run?._id ?? '' } });
  await starts.deliver(records);
  expect(await runsOf(contactId, workflow)).toHaveLength(1);
  expect((await starts.refusals(workflow)).refused).toEqual({ reentry: 1 });
});

test.each(['after_finish', 'never', 'always'])(
  'All triggers of a workflow start a run at one event, however many they are, if a contact enters %s',
  async (reentry) => {
    const tag = newTag();
    const nodes = Array.from({ length: 8 }, (_, index) => onTag(tag, `trigger-${index}`));
    const workflow = await starts.newWorkflow({ nodes, settings: { reentry } });
    const { _id: contactId } = await newContact();
    await tagAgain(contactId, tag);
    const started = (await runsOf(contactId, workflow)).map(({ triggerId }) => triggerId);
    expect(started.sort()).toEqual(nodes.map(({ id }) => id));
    expect((await starts.refusals(workflow)).refused).toEqual({});

    await tagAgain(contactId, tag);
    const again = reentry === 'always' ? 8 : 0;
    expect(await runsOf(contactId, workflow)).toHaveLength(8 + again);
    expect((await starts.refusals(workflow)).refused).toEqual(again === 0 ? { reentry: 8 } : {});
  },
);

test('The first 50 runs of a burst start at once, and the others one after the other at the rate of the workflow', async () => {
  const tag = newTag();
  const settings = { rate: { value: 60, unit: 'minutes' } };
  const workflow = await starts.newWorkflow({ nodes: [onTag(tag)], settings });
  const contacts: string[] = [];
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      const { _id } = await newContact();
      contacts.push(_id);
      await update(_id, { tags: [tag] });
    }),
  );
  const at = new Date();
  await starts.tell(at);
  const runs = (await Promise.all(contacts.map((id) => runsOf(id, workflow)))).flat();
  const waiting = runs.filter(({ status }) => status === 'waiting');
  expect([runs.length, waiting.length]).toEqual([60, 10]);
  const seconds = waiting.map(({ startsAt = '' }) => (Date.parse(startsAt) - at.getTime()) / 1_000);
  expect(seconds.sort((second, other) => second - other)).toEqual(
    Array.from({ length: 10 }, (_, index) => index + 1),
  );
});

test('What was refused, or delivered before, takes no place of others at the rate of the workflow', async () => {
  const tag = newTag();
  const settings = { reentry: 'never', rate: { value: 1, unit: 'day' } };
  const workflow = await starts.newWorkflow({ nodes: [onTag(tag)], settings });
  const { _id: contactId } = await newContact();
  await starts.tell();
  const tagTwice = async () => {
    await update(contactId, { tags: [tag] });
    await update(contactId, { tags: [] });
    return starts.newRecords();
  };
  // Two of the 50 places are left.
  const reservedUntil = Date.now() + 48 * day;
  await product.tableOf(admin.organizationId).table.update(reservedStartsKey(workflow._id), {
    update: 'SET reservedUntil = :reservedUntil',
    values: { reservedUntil },
  });
  const first = [...(await tagTwice()), ...(await tagTwice())];
  await starts.deliver(first);
  await starts.deliver(first);
  await starts.deliver(await tagTwice());
  expect((await starts.refusals(workflow)).refused).toEqual({ reentry: 2 });
  for (const status of ['running', 'waiting']) {
    const { _id: other } = await newContact();
    await update(other, { tags: [tag] });
    await starts.tell();
    expect(await runsOf(other, workflow)).toMatchObject([{ status }]);
  }
});
