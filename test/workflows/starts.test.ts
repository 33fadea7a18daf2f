import { afterEach, expect, test } from 'vitest';
import { triggerRange } from '../../functions/workflows/model/plans/trigger-rows.ts';
import { enrolmentKey } from '../../functions/workflows/model/runs/enrolment.ts';
import { startsInAnHour } from '../../functions/workflows/model/starts/guards.ts';
import { startByEvents } from '../../functions/workflows/model/starts/start-by-events.ts';
import { occurrencesOf } from '../../functions/workflows/model/topics/occurrences.ts';
import { after, hour, minute } from '../../shared/kernel/time.ts';
import type { StoredEvent } from '../../shared/live/outbox.ts';
import type { Fault } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import type { Call, Person } from '../harness/product.ts';
import { arrange } from '../harness/world.ts';
import { endProcessAt } from './disturbances.ts';
import { recordOf, startsOf, trigger } from './starting.ts';

const world = await setUpWorld();
const { product, admin, rep, newContact } = world;
const faults = setUpFaultyTable();
afterEach(() => faults.clear());
const starts = await startsOf(world);

const call = async (name: string, more: Call = {}, by: Person = rep) =>
  (await arrange(product.call(name, { token: by.token, ...more }))).data;
const update = (id: string, body: Record<string, unknown>, by: Person = rep) =>
  call('update-contact', { path: { id }, body }, by);

/** A tag that only one test adds, and a trigger for it: workflows of other tests stay out of it. */
let tags = 0;
const newTag = () => {
  tags += 1;
  return `tag-${tags}`;
};
const onTag = (tag: string, id?: string) =>
  trigger('contact.tag_added', { filter: [{ field: 'event.tag', operator: 'equals', value: tag }] }, id);
const runsOf = async (contactId: string, { _id }: { _id: string }) =>
  (await starts.runs(contactId)).filter(({ workflowId }) => workflowId === _id);

test('An event starts a run of each enabled workflow whose trigger it passes, on its revision and with its owner', async () => {
  const tag = newTag();
  const workflow = await starts.newWorkflow({ nodes: [onTag(tag)] });
  const disabled = await starts.newWorkflow({ nodes: [onTag(tag)], enabled: false });
  const { _id: contactId } = await newContact();
  const { _id: other } = await newContact();
  await update(contactId, { tags: [tag] });
  await update(other, { tags: [`${tag}x`] });
  await starts.tell();
  expect(await starts.runs(contactId)).toEqual([
    expect.objectContaining({
      workflowId: workflow._id,
      contactId,
      userId: rep.userId,
      revision: 1,
      status: 'running',
      triggerId: 'trigger',
      topic: 'contact.tag_added',
      chain: [workflow._id],
    }),
  ]);
  expect(await starts.runs(other)).toEqual([]);
  expect((await starts.refusals(disabled)).lastRefusals).toEqual([]);
});

test('A filter may ask for fields of the contact and for the opening hours', async () => {
  const tag = newTag();
  const filter = [
    { field: 'event.tag', operator: 'equals', value: tag },
    { field: 'contact.stage', operator: 'equals', value: 'Won' },
    { field: 'businessHours.open', operator: 'equals', value: true },
  ];
  const workflow = await starts.newWorkflow({ nodes: [trigger('contact.tag_added', { filter })] });
  const [won, lost] = [await newContact({ stage: 'Won' }), await newContact({ stage: 'Lost' })];
  await update(won._id, { tags: [tag] });
  await update(lost._id, { tags: [tag] });
  await starts.tell();
  expect(await runsOf(won._id, workflow)).toHaveLength(1);
  expect(await runsOf(lost._id, workflow)).toEqual([]);
});

test('The same events, told 100 times in batches that fail at each of their requests, start one run each', async () => {
  const tag = newTag();
  const workflow = await starts.newWorkflow({
    nodes: [onTag(tag)],
    // So many that none of them has to wait.
    settings: { reentry: 'always', rate: { value: 1000, unit: 'second' } },
  });
  let deliveries = 0;
  const contacts: string[] = [];
  while (deliveries < 100) {
    const some = await Promise.all(Array.from({ length: 3 }, () => newContact()));
    await starts.tell();
    await Promise.all(some.map(({ _id }) => update(_id, { tags: [tag] })));
    const records = await starts.newRecords();
    // Told again until it has no request left to fail at; each time somewhat more is done.
    for (let number = 1, isOver = false; !isOver; number += 1) {
      const hasEnded = endProcessAt(faults, number, (number + contacts.length) % 2 === 0);
      const isTaken = await starts.deliver(records).then(
        () => true,
        () => false,
      );
      faults.clear();
      deliveries += 1;
      expect(isTaken).toBe(!hasEnded());
      isOver = isTaken;
    }
    contacts.push(...some.map(({ _id }) => _id));
  }
  for (const contactId of contacts) {
    expect(await runsOf(contactId, workflow)).toHaveLength(1);
    const { running, lastStarts } =
      (await starts.table.read(enrolmentKey(contactId, workflow._id)))?.attributes ?? {};
    expect([running, String(lastStarts).split(' ')]).toEqual([1, [expect.any(String)]]);
  }
  expect(await starts.refusals(workflow)).toEqual({ refused: {}, lastRefusals: [] });
});

test('Deliveries of an event at the same time start one run', async () => {
  const tag = newTag();
  const workflow = await starts.newWorkflow({ nodes: [onTag(tag)] });
  const { _id: contactId } = await newContact();
  await update(contactId, { tags: [tag] });
  const records = await starts.newRecords();
  await Promise.all(Array.from({ length: 8 }, () => starts.deliver(records)));
  expect(await runsOf(contactId, workflow)).toHaveLength(1);
  expect((await starts.refusals(workflow)).refused).toEqual({});
});

test('An event that cannot be understood holds up no other', async () => {
  const tag = newTag();
  const workflow = await starts.newWorkflow({ nodes: [onTag(tag)] });
  const { _id: contactId } = await newContact();
  await starts.tell();
  await update(contactId, { tags: [tag] });
  const poisoned = {
    ...{ id: '01M0000000000000000000000P', event: 'contact_updated', at: new Date().toISOString() },
    ...{ data: { contactId }, audience: null, change: { fields: [], addedTags: 7 } },
  } as unknown as StoredEvent;
  const records = [recordOf(admin.organizationId, poisoned), ...(await starts.newRecords())];
  await expect(starts.deliver(records)).rejects.toThrow();
  expect(await runsOf(contactId, workflow)).toHaveLength(1);
});

test('An organization without triggers costs one query for each topic', async () => {
  const stranger = await product.newOrganization();
  const contact = await call('create-contact', { body: { firstName: 'Ada' } }, stranger);
  const event = {
    ...{ id: '01M00000000000000000000000', event: 'contact_created', at: contact.createdAt },
    data: { contactId: contact._id, contact },
    audience: { kind: 'record', people: [stranger.userId] },
  } as StoredEvent;
  const record = recordOf(stranger.organizationId, event);
  faults.clear();
  await starts.deliver([record, record, record]);
  const reads = ['QueryCommand', 'GetItemCommand', 'BatchGetItemCommand'] as const;
  expect(reads.map((command) => faults.tries(command).length)).toEqual([1, 0, 0]);
  expect(faults.tries('TransactWriteItemsCommand')).toEqual([]);
});

test('A contact enters again after its run has ended, always, or never, as the workflow says', async () => {
  const settings = [{}, { reentry: 'always' }, { reentry: 'never' }] as const;
  const tag = newTag();
  const [usual, always, never] = await Promise.all(
    settings.map((one) => starts.newWorkflow({ nodes: [onTag(tag)], settings: one })),
  );
  if (!usual || !always || !never) {
    throw new Error('There are no workflows');
  }
  const { _id: contactId } = await newContact();
  const addTag = async () => {
    await update(contactId, { tags: [tag] });
    await update(contactId, { tags: [] });
    await starts.tell();
  };
  await addTag();
  await addTag();
  const counts = async () =>
    Promise.all([usual, always, never].map(async (one) => (await runsOf(contactId, one)).length));
  expect(await counts()).toEqual([1, 2, 1]);
  for (const run of await starts.runs(contactId)) {
    await call('cancel-workflow-run', { path: { id: run._id } });
  }
  await addTag();
  expect(await counts()).toEqual([2, 3, 1]);
  expect(
    await Promise.all([usual, always, never].map(async (one) => (await starts.refusals(one)).refused)),
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

test('No run starts for a contact that the owner cannot see, and nothing tells whether a filter let its event pass', async () => {
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

test('What was refused stays refused when the event is told again', async () => {
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
    const addTag = async () => {
      await update(contactId, { tags: [tag] });
      await update(contactId, { tags: [] });
      await starts.tell();
    };
    await addTag();
    const started = (await runsOf(contactId, workflow)).map(({ triggerId }) => triggerId);
    expect(started.sort()).toEqual(nodes.map(({ id }) => id));
    expect((await starts.refusals(workflow)).refused).toEqual({});

    await addTag();
    const again = reentry === 'always' ? 8 : 0;
    expect(await runsOf(contactId, workflow)).toHaveLength(8 + again);
    expect((await starts.refusals(workflow)).refused).toEqual(again === 0 ? { reentry: 8 } : {});
  },
);

test('A trigger that an earlier delivery did not come to starts its run with the next one', async () => {
  const tag = newTag();
  const nodes = Array.from({ length: 8 }, (_, index) => onTag(tag, `trigger-${index}`));
  const workflow = await starts.newWorkflow({ nodes });
  const { _id: contactId } = await newContact();
  await starts.tell();
  await update(contactId, { tags: [tag] });
  const records = await starts.newRecords();
  const ends: Fault = async () => Promise.reject(new Error('The process ended'));
  faults.next('TransactWriteItemsCommand', (next) => next(), ends);
  await expect(starts.deliver(records)).rejects.toThrow();
  faults.clear();
  expect(await runsOf(contactId, workflow)).toHaveLength(6);
  await starts.deliver(records);
  expect(await runsOf(contactId, workflow)).toHaveLength(8);
  expect((await starts.refusals(workflow)).refused).toEqual({});
});

test('A run at the deletion of a contact reveals nothing of it, and is not deleted with it', async () => {
  const workflow = await starts.newWorkflow({ nodes: [trigger('contact.deleted')] });
  const { _id: contactId } = await newContact();
  await starts.tell();
  await call('delete-contact', { path: { id: contactId } });
  await starts.tell();
  expect(await starts.runs(contactId)).toEqual([]);
  const [run, ...others] = await starts.runs(`${contactId}-deleted`);
  expect(others).toEqual([]);
  expect(run).toMatchObject({ workflowId: workflow._id, contactId, topic: 'contact.deleted' });
  expect(JSON.stringify(run)).not.toContain('Secret');
});

test('Of a burst 50 runs of a workflow start at once, and the others one after the other at its rate', async () => {
  const tag = newTag();
  const settings = { rate: { value: 60, unit: 'minutes' } };
  const workflow = await starts.newWorkflow({ nodes: [onTag(tag)], settings });
  const contacts: string[] = [];
  await Promise.all(
    Array.from({ length: 80 }, async () => {
      const { _id } = await newContact();
      contacts.push(_id);
      await update(_id, { tags: [tag] });
    }),
  );
  const at = new Date();
  await starts.tell(at);
  const runs = (await Promise.all(contacts.map((id) => runsOf(id, workflow)))).flat();
  const waiting = runs.filter(({ status }) => status === 'waiting');
  expect([runs.length, waiting.length]).toEqual([80, 30]);
  const seconds = waiting.map(({ startsAt = '' }) => (Date.parse(startsAt) - at.getTime()) / 1_000);
  expect(seconds.sort((one, other) => one - other)).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
});

test('What was refused, or told before, takes no place of others at the pace', async () => {
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
  const first = [];
  for (let index = 0; index < 30; index += 1) {
    first.push(...(await tagTwice()));
  }
  await starts.deliver(first);
  expect((await starts.refusals(workflow)).refused).toEqual({ reentry: 29 });
  await starts.deliver(first);
  const second = [];
  for (let index = 0; index < 30; index += 1) {
    second.push(...(await tagTwice()));
  }
  await starts.deliver(second);
  expect((await starts.refusals(workflow)).refused).toEqual({ reentry: 59 });
  const { _id: other } = await newContact();
  await update(other, { tags: [tag] });
  await starts.tell();
  expect(await runsOf(other, workflow)).toMatchObject([{ status: 'running' }]);
});

test('Once the response says that a workflow is disabled, no run starts, also by triggers that were read before; enabled, it starts runs again', async () => {
  const tag = newTag();
  const workflow = await starts.newWorkflow({ nodes: [onTag(tag)], settings: { reentry: 'always' } });
  const { _id: contactId } = await newContact();
  await starts.tell();
  await update(contactId, { tags: [tag] });
  const occurrences = (await starts.newRecords()).flatMap((record) =>
    occurrencesOf(JSON.parse(record.dynamodb?.NewImage?.data?.S ?? '')),
  );
  const toggle = (enabled: boolean) =>
    call('toggle-workflow', { path: { id: workflow._id }, body: { enabled } });
  const { partition } = triggerRange('contact.tag_added');
  const tables = starts.tables();
  let reads = 0;
  const list: typeof tables.table.list = async (range, options) => {
    const found = await tables.table.list(range, options);
    if (range.partition.join() === partition.join()) {
      reads += 1;
      await toggle(false);
    }
    return found;
  };
  const { moment } = product.tableOf(rep.organizationId);
  const late = { ...tables, table: { ...tables.table, list } };
  const { started, failures } = await startByEvents(late, occurrences, moment);
  expect({ reads, started, failures }).toEqual({ reads: 1, started: 0, failures: [] });
  expect(await runsOf(contactId, workflow)).toEqual([]);
  await toggle(true);
  await update(contactId, { tags: [] });
  await update(contactId, { tags: [tag] });
  await starts.tell();
  expect(await runsOf(contactId, workflow)).toHaveLength(1);
});
