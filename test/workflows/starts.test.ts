import { afterEach, expect, test } from 'vitest';
import { triggerRange } from '../../functions/workflows/model/definition/triggers.ts';
import { occurrencesIn } from '../../functions/workflows/model/triggers/occurrences.ts';
import { startByEvents } from '../../functions/workflows/model/triggers/start-by-events.ts';
import type { StoredEvent } from '../../shared/events/outbox.ts';
import type { Fault } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { insertRecord, trigger } from './starting.ts';
import { tagStartsIn } from './tag-starts.ts';

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;
const faults = setUpFaultyTable();
afterEach(() => faults.clear());
const { starts, call, update, newTag, onTag, runsOf } = await tagStartsIn(tenants);

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

test('Which of too many triggers count is decided by their order when the workflow is enabled', async () => {
  const tag = newTag();
  const others = Array.from({ length: 50 }, (_, n) => onTag(`${tag} ${n}`, `other-${n}`));
  const last = onTag(tag, 'last');
  const workflow = await starts.newWorkflow({ nodes: [...others, last] });
  const startedBy = async (some: string) => {
    const { _id } = await newContact();
    await update(_id, { tags: [some] });
    await starts.tell();
    return (await runsOf(_id, workflow)).map(({ triggerId }) => triggerId);
  };
  expect([await startedBy(tag), await startedBy(`${tag} 49`)]).toEqual([[], ['other-49']]);
  const change = (body: object) => call('update-workflow', { path: { id: workflow._id }, body: { ...body } });
  await change({ enabled: false, nodes: [last, ...others] });
  await change({ enabled: true });
  expect([await startedBy(tag), await startedBy(`${tag} 49`)]).toEqual([['last'], []]);
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
  const records = [insertRecord(admin.organizationId, poisoned), ...(await starts.newRecords())];
  await expect(starts.deliver(records)).rejects.toThrow();
  expect(await runsOf(contactId, workflow)).toHaveLength(1);
});

test('An organization without triggers costs one query for each topic', async () => {
  const otherRep = await product.newOrganization();
  const contact = await call('create-contact', { body: { firstName: 'Ada' } }, otherRep);
  const event = {
    ...{ id: '01M00000000000000000000000', event: 'contact_created', at: contact.createdAt },
    data: { contactId: contact._id, contact },
    audience: { kind: 'record', people: [otherRep.userId] },
    actor: { type: 'user', id: otherRep.userId },
  } as StoredEvent;
  const record = insertRecord(otherRep.organizationId, event);
  faults.clear();
  await starts.deliver([record, record, record]);
  const reads = ['QueryCommand', 'GetItemCommand', 'BatchGetItemCommand'] as const;
  expect(reads.map((command) => faults.tries(command).length)).toEqual([1, 0, 0]);
  expect(faults.tries('TransactWriteItemsCommand')).toEqual([]);
});

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

test('Once the response says that a workflow is disabled, no run starts, even by triggers that were read before; enabled, it starts runs again', async () => {
  const tag = newTag();
  const workflow = await starts.newWorkflow({ nodes: [onTag(tag)], settings: { reentry: 'always' } });
  const { _id: contactId } = await newContact();
  await starts.tell();
  await update(contactId, { tags: [tag] });
  const occurrences = (await starts.newRecords()).flatMap((record) =>
    occurrencesIn(JSON.parse(record.dynamodb?.NewImage?.data?.S ?? '')),
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
