import { expect, test } from 'vitest';
import { runKey } from '../../functions/workflows/model/runs/run.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, failure, outcome } from '../harness/tenants.ts';
import { newManualWorkflow, newRun, runsClient } from './runs-client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep, newContact } = tenants;
const client = runsClient(product, rep);
const { table } = product.tableOf(admin.organizationId);

const always = { settings: { reentry: 'always' } };
const contactIds = async (count: number) =>
  (await Promise.all(Array.from({ length: count }, () => newContact()))).map(({ _id }) => _id);

const hiddenContact = async () => {
  const body = { firstName: 'Hidden' };
  return (await arrange(product.call('create-contact', { token: otherRep.token, body }))).data._id as string;
};

test('A workflow that is run for a contact has a run for it', async () => {
  const { _id: workflowId } = await newManualWorkflow(tenants);
  const [contactId] = await contactIds(1);
  const body = expectStatus(await client.run(workflowId, { contactId }), 201);
  expect(body).toEqual({
    ...{ success: true, message: '1 run started' },
    data: { runs: [{ runId: expect.any(String), contactId }], refused: [] },
  });
  const [{ runId }] = body.data.runs;
  expect((await arrange(client.read(runId))).data).toMatchObject({
    ...{ _id: runId, workflowId, contactId, revision: 1, status: 'running', steps: [] },
  });
  expect((await table.read(runKey(runId)))?.data.userId).toBe(rep.userId);
});

test('Several contacts each have a run, in their order; one that is named twice has one', async () => {
  const { _id: workflowId } = await newManualWorkflow(tenants);
  const ids = await contactIds(3);
  const { runs, refused } = expectStatus(
    await client.run(workflowId, { contactIds: [...ids, ids[0]] }),
    201,
  ).data;
  expect(runs.map(({ contactId }: { contactId: string }) => contactId)).toEqual(ids);
  expect(refused).toEqual([]);
});

test('Each trigger with manual.started starts a run of its own, others none', async () => {
  const trigger = (id: string, event: string) => ({
    ...{ id, type: 'trigger', position: { x: 0, y: 0 } },
    data: { event },
  });
  const nodes = [
    trigger('one', 'manual.started'),
    trigger('two', 'contact.created'),
    ...Array.from({ length: 8 }, (_, index) => trigger(`more-${index}`, 'manual.started')),
  ];
  const { _id: workflowId } = await newManualWorkflow(tenants, { nodes, edges: [] });
  const [contactId] = await contactIds(1);
  const { runs } = expectStatus(await client.run(workflowId, { contactId }), 201).data;
  const records = await table.readMany(runs.map(({ runId }: { runId: string }) => runKey(runId)));
  const triggers = records.map((record) => (record?.data as { triggerId?: string } | undefined)?.triggerId);
  expect(triggers.sort()).toEqual(
    nodes
      .map(({ id }) => id)
      .filter((id) => id !== 'two')
      .sort(),
  );
});

test('A contact that no trigger lets pass is refused; of triggers that let it pass, each starts a run', async () => {
  const trigger = (id: string, value: string) => ({
    ...{ id, type: 'trigger', position: { x: 0, y: 0 } },
    data: { event: 'manual.started', filter: [{ field: 'contact.firstName', operator: 'equals', value }] },
  });
  const nodes = [trigger('one', 'Ada'), trigger('two', 'Grace'), trigger('three', 'Grace')];
  const { _id: workflowId } = await newManualWorkflow(tenants, { nodes, edges: [] });
  const [grace, mary] = await Promise.all(['Grace', 'Mary'].map((firstName) => newContact({ firstName })));
  const ids = [mary?._id, grace?._id];
  const { runs, refused } = expectStatus(await client.run(workflowId, { contactIds: ids }), 201).data;
  expect(runs.map(({ contactId }: { contactId: string }) => contactId)).toEqual([grace?._id, grace?._id]);
  expect(refused).toEqual([{ contactId: mary?._id, reason: 'filter_not_met' }]);
  expect((await arrange(client.statistics(workflowId))).data.refused).toEqual({ filter_not_met: 1 });
});

test('It is not revealed whether a filter lets a contact pass that the owner of the workflow may not see', async () => {
  const filter = [{ field: 'contact.firstName', operator: 'equals', value: 'Nobody' }];
  const data = { event: 'manual.started', filter };
  const nodes = [{ id: 'one', type: 'trigger', position: { x: 0, y: 0 }, data }];
  const { _id: workflowId } = await newManualWorkflow(tenants, { nodes, edges: [] });
  const contactId = await hiddenContact();
  const { refused } = (await arrange(runsClient(product, admin).run(workflowId, { contactId }))).data;
  expect(refused).toEqual([{ contactId, reason: 'contact_not_visible' }]);
});

test('A contact out of sight, alone or among others, is 404, and nothing starts', async () => {
  const { _id: workflowId } = await newManualWorkflow(tenants);
  const [known] = await contactIds(1);
  for (const contactId of [await hiddenContact(), '01JZZZZZZZZZZZZZZZZZZZZZZZ']) {
    const missing = failure(404, 'Contact not found');
    expect(outcome(await client.run(workflowId, { contactId }))).toEqual(missing);
    expect(outcome(await client.run(workflowId, { contactIds: [known, contactId] }))).toEqual({
      ...{ status: 404, body: { ...missing.body, contactId } },
    });
  }
  expect(outcome(await client.run(workflowId, { contactIds: [known, 'no id'] }))).toEqual(
    failure(404, 'Contact not found'),
  );
  expect((await arrange(client.ofWorkflow(workflowId))).data).toEqual([]);
});

test('A contact that the owner of the workflow may not see is refused, and so is one whose run is under way', async () => {
  const { _id: workflowId } = await newManualWorkflow(tenants);
  const [contactId] = await contactIds(1);
  const hidden = await hiddenContact();
  const boss = runsClient(product, admin);
  const first = expectStatus(await boss.run(workflowId, { contactIds: [contactId, hidden] }), 201).data;
  expect(first.runs).toHaveLength(1);
  expect(first.refused).toEqual([{ contactId: hidden, reason: 'contact_not_visible' }]);
  const second = expectStatus(await client.run(workflowId, { contactId }), 201).data;
  expect(second).toEqual({ runs: [], refused: [{ contactId, reason: 'reentry' }] });
  expect((await arrange(client.statistics(workflowId))).data.refused).toEqual({
    ...{ contact_not_visible: 1, reentry: 1 },
  });
});

test.each([
  [{}, 'contactId or contactIds is required, and not both'],
  [{ contactIds: [] }, 'contactIds'],
  [{ contactIds: Array.from({ length: 101 }, (_, index) => `C${index}`) }, 'contactIds'],
  [{ contactId: 'C1', contactIds: ['C2'] }, 'contactId or contactIds is required, and not both'],
])('A request for no contact, for two forms of them, or for more than 100 is refused', async (body, text) => {
  const { _id: workflowId } = await newManualWorkflow(tenants);
  const response = await client.run(workflowId, body);
  expect(response.status).toBe(400);
  expect(response.body.message).toContain(text);
});

test('A workflow that is disabled, or that nobody can start, is a conflict', async () => {
  const [contactId] = await contactIds(1);
  const disabled = await newManualWorkflow(tenants, { enabled: false });
  expect(outcome(await client.run(disabled._id, { contactId }))).toEqual(
    failure(409, 'The workflow is disabled. Enable it, or simulate it.'),
  );
  const { _id } = await newManualWorkflow(tenants, { nodes: [], edges: [] });
  expect(outcome(await client.run(_id, { contactId }))).toEqual(
    failure(409, 'The workflow has no trigger with the event manual.started.'),
  );
});

test('The first fifty of a hundred contacts start at once, and the others wait for their turn', async () => {
  const { _id: workflowId } = await newManualWorkflow(tenants);
  const ids = await contactIds(100);
  const { runs } = expectStatus(await client.run(workflowId, { contactIds: ids }), 201).data;
  expect(runs).toHaveLength(100);
  const running = await client.everyOfWorkflow(workflowId, { status: 'running' });
  const waiting = await client.everyOfWorkflow(workflowId, { status: 'waiting' });
  expect([running.length, waiting.length]).toEqual([50, 50]);
  const [later] = waiting;
  expect((await arrange(client.continue(later?._id ?? ''))).data.status).toBe('running');
  // It goes on already, and is told to do so once more.
  expect((await client.continue(later?._id ?? '')).status).toBe(200);
});

test('All runs of some workflows are cancelled for a contact with many runs, and it may enter these workflows again', async () => {
  const { _id: workflowId } = await newManualWorkflow(tenants, always);
  const [contactId = ''] = await contactIds(1);
  for (let count = 0; count < 19; count += 1) {
    await arrange(client.run(workflowId, { contactId }));
  }
  const { _id: other } = await newRun(tenants, { status: 'waiting', contactId });
  const body = { workflowIds: [workflowId] };
  expect((await arrange(client.cancelOfContact(contactId, body))).data.runs).toHaveLength(19);
  const left = (await client.everyOfContact(contactId)).filter(({ status }) => status !== 'cancelled');
  expect(left.map(({ _id }) => _id)).toEqual([other]);
  expect((await arrange(client.run(workflowId, { contactId }))).data.runs).toHaveLength(1);
  expect((await arrange(client.cancelOfContact(contactId))).data.runs).toHaveLength(2);
});
