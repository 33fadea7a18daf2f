import { expect, test } from 'vitest';
import { readWorkflow } from '../../functions/workflows/model/definition/find-workflow.ts';
import { simulate as simulateWithin } from '../../functions/workflows/model/simulation/simulate.ts';
import { after, day, second, timestamp } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';
import { inARow, prepareRuns } from './advancing.ts';
import { newWorkflow, workflowsClient } from './client.ts';
import { at, graphWith, manual, simulationsIn } from './simulating.ts';

const tenants = await setUpTenants();
const { product, head, rep, otherRep, admin } = tenants;
const { simulate, simulated } = simulationsIn(tenants);

test('A trigger that would start nothing, because its filter is too large, cannot be tried', async () => {
  const filter = [{ field: 'contact.firstName', operator: 'equals', value: 'x'.repeat(5_000) }];
  const nodes = { one: { type: 'trigger', data: { event: 'manual.started', filter } } };
  const { _id } = await newWorkflow(tenants, graphWith(nodes, []));
  expect((await simulate(_id)).status).toBe(409);
});

test('A wait until the end of time lasts as long as a run may', async () => {
  const data = { at: '9999-12-31T23:59:59', zone: 'America/New_York' };
  const { path } = await simulated(inARow([{ type: 'waitUntil', data }]));
  expect(path[1]).toMatchObject({ status: 'waiting', until: timestamp(after(new Date(at), 366 * day)) });
});

test('It acts with the rights of the owner of the workflow, whoever tries it', async () => {
  const mine = await product.call('create-contact', {
    token: otherRep.token,
    body: { firstName: 'Grace' },
  });
  const { _id } = await newWorkflow(tenants, inARow([{ type: 'addNote', data: { note: 'Met' } }]));
  const contactId = mine.body.data._id;
  expect((await simulate(_id, { contactId })).status).toBe(404);
  const response = await simulate(_id, { contactId }, admin);
  expect(response.body.data).toEqual({
    path: [],
    runs: [{ nodeId: 'trigger', status: 'refused', reason: 'contact_not_visible' }],
  });
});

test('A workflow whose owner is disabled would start nothing', async () => {
  const leaver = await product.newColleague(admin);
  const client = workflowsClient(product, leaver);
  const { _id } = await client.created(inARow([{ type: 'stop' }]));
  await product.call('update-user', {
    token: admin.token,
    path: { id: leaver.userId },
    body: { disabled: true },
  });
  const { body } = await simulate(_id, {}, admin);
  expect(body.data.runs).toEqual([{ nodeId: 'trigger', status: 'refused', reason: 'owner_disabled' }]);
});

test('A circle is followed for 200 steps, and the run is then not at its end', async () => {
  const graph = graphWith({ start: manual, one: { type: 'condition', data: { rules: [] } } }, [
    'start one',
    'one one',
  ]);
  const { path, runs } = await simulated(graph);
  expect(path).toHaveLength(200);
  expect(runs).toEqual([{ nodeId: 'start', status: 'running' }]);
});

test('A simulation follows steps for 5 of the 9.5 seconds that a request has, and says how far it came', async () => {
  const { _id } = await newWorkflow(tenants, inARow([{ type: 'stop' }]));
  const { table, portsOf } = await prepareRuns(tenants);
  const objects = await product.objects.of(rep.organizationId, 'storedDocuments');
  const found = await readWorkflow({ table, objects }, _id);
  if (found === undefined) {
    throw new Error('The workflow is missing');
  }
  const { stepOperations, newId } = portsOf();
  const caller = { ...rep, role: 'SALES_REP', homeOrganizationId: rep.organizationId } as const;
  const statusesWith = async (left: () => number) => {
    const input = {
      ...{ header: found.header.data, document: found.document, contact: undefined, event: {} },
      topic: 'manual.started' as const,
      ...{ at: new Date(at), decisions: {} },
    };
    const ports = { table, stepOperations };
    const { path, runs } = await simulateWithin(ports, caller, input, { newId, deadline: { left } });
    return { path: path.length, runs: runs.map(({ status }) => status) };
  };
  const looks = [4.6 * second, 4.5 * second];
  expect(await statusesWith(() => 4.6 * second)).toEqual({ path: 2, runs: ['finished'] });
  expect(await statusesWith(() => looks.shift() ?? 0)).toEqual({ path: 0, runs: ['running'] });
  expect(await statusesWith(() => 4.5 * second)).toEqual({ path: 0, runs: [] });
});

test('A simulation of many triggers runs those that would run for real, as far as its steps go', async () => {
  const nodes = Array.from({ length: 60 }, (_, n) => [`t${n}`, manual] as const);
  const { path, runs } = await simulated(graphWith(Object.fromEntries(nodes), []));
  expect([path.length, runs.length]).toEqual([50, 50]);
  const circle = graphWith({ a: manual, b: manual, x: { type: 'condition', data: { rules: [] } } }, [
    'a x',
    'b x',
    'x true x',
  ]);
  expect((await simulated(circle)).runs).toEqual([{ nodeId: 'a', status: 'running' }]);
});

test('A text that grows too long fails, and is not built', async () => {
  const { _id: contactId } = await tenants.newContact({ customFields: { x: 'y'.repeat(16_000) } });
  const content = '{{x}}'.repeat(3_900);
  const { path, runs } = await simulated(inARow([{ type: 'sendMessage', data: { content } }]), { contactId });
  const reason = 'The text is too long once its placeholders are filled';
  expect(path[1]).toEqual({ nodeId: 'n1', type: 'sendMessage', status: 'failed', reason, at });
  expect(runs).toEqual([{ nodeId: 'trigger', status: 'failed', reason }]);
  const set = { tags: Array.from({ length: 500 }, () => '{{x}}') };
  const update = await simulated(inARow([{ type: 'updateContact', data: { set } }]), { contactId });
  expect(update.path[1]).toMatchObject({ status: 'failed', reason });
  const long = await simulated(inARow([{ type: 'sendMessage', data: { content: content.repeat(2) } }]));
  expect(long.path[1]).toMatchObject({ status: 'skipped', reason: 'invalid_data' });
});

test('An event that is larger than any that happens is refused: each step reads it', async () => {
  const { _id } = await newWorkflow(tenants, inARow([]));
  const withText = (length: number) => simulate(_id, { event: { text: 'x'.repeat(length) } });
  expect((await withText(100_000)).status).toBe(200);
  expect(await withText(103_000)).toMatchObject({
    status: 400,
    body: { message: 'event must have at most 100 KB as JSON' },
  });
});

test('A time that no id can hold is refused', async () => {
  const { _id } = await newWorkflow(tenants, inARow([{ type: 'stop' }]));
  for (const time of ['1969-01-01T00:00:00Z', '2100-01-01T00:00:00Z', 'soon']) {
    expect((await simulate(_id, { at: time })).status).toBe(400);
  }
});

test('Others read the text of a template that the organization shares, and not that of one of the owner alone', async () => {
  const newTemplate = async (template: string, isShared: boolean): Promise<string> =>
    (
      await arrange(
        product.call('create-template', {
          token: rep.token,
          body: { name: template, template, type: 'sms', isShared },
        }),
      )
    ).data._id;
  const [own, shared] = [await newTemplate('My own words', false), await newTemplate('Our words', true)];
  const graph = inARow([
    { type: 'sendMessage', data: { template: own } },
    { type: 'sendMessage', data: { template: shared } },
    { type: 'sendMessage', data: { content: 'In the graph' } },
  ]);
  const { _id: contactId } = await tenants.newContact();
  const { _id } = await newWorkflow(tenants, graph);
  const textsFor = async (person: Person) => {
    const { body } = await simulate(_id, { contactId }, person);
    return body.data.path.slice(1).map(({ status, text }: Record<string, string>) => [status, text]);
  };
  const shown = [
    ['passed', 'Our words'],
    ['passed', 'In the graph'],
  ];
  expect(await textsFor(rep)).toEqual([['passed', 'My own words'], ...shown]);
  expect(await textsFor(head)).toEqual([['passed', undefined], ...shown]);
});
