import { expect, test } from 'vitest';
import { after, day, hour, timestamp } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { readRows } from '../seed/table.ts';
import { inARow } from './advancing.ts';
import { newWorkflow, workflowsClient } from './client.ts';
import { at, graphWith, manual, simulationsIn } from './simulating.ts';

const tenants = await setUpTenants();
const { product, rep, otherRep } = tenants;
const { simulate, simulated } = simulationsIn(tenants);

const everything = () => readRows(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName);

test('A draft is followed over its waits, with the texts as they would read and the times of its steps', async () => {
  const { _id: contactId } = await tenants.newContact({ firstName: 'Ada' });
  const { path, runs } = await simulated(
    inARow([
      { type: 'addTags', data: { tags: ['new'] } },
      { type: 'delay', data: { value: 1, unit: 'days' } },
      { type: 'addNote', data: { note: 'Call {{firstName}} about {{event.reason|nothing}}' } },
    ]),
    { contactId, event: { reason: 'the offer' } },
  );
  const tomorrow = timestamp(after(new Date(at), day));
  expect(path).toEqual([
    { nodeId: 'trigger', type: 'trigger', status: 'passed', at },
    { nodeId: 'n1', type: 'addTags', status: 'passed', at },
    { nodeId: 'n2', type: 'delay', status: 'waiting', until: tomorrow, at },
    { nodeId: 'n2', type: 'delay', status: 'passed', at: tomorrow },
    { nodeId: 'n3', type: 'addNote', status: 'passed', text: 'Call Ada about the offer', at: tomorrow },
  ]);
  expect(runs).toEqual([{ nodeId: 'trigger', status: 'finished' }]);
});

test('Nothing is written by steps of any type, and the next request finds everything as it was', async () => {
  const { _id: contactId } = await tenants.newContact({ firstName: 'Ada' });
  const other = await newWorkflow(tenants, { enabled: true, ...inARow([{ type: 'stop' }]) });
  const { _id } = await newWorkflow(tenants, {
    enabled: true,
    ...inARow([
      { type: 'updateContact', data: { set: { lastName: 'King' } } },
      { type: 'addTags', data: { tags: ['new'] } },
      { type: 'moveStage', data: { stage: 'Contacted' } },
      { type: 'assign', data: { userId: rep.userId } },
      { type: 'assign', data: { roundRobin: [rep.userId] } },
      { type: 'addNote', data: { note: 'Call {{firstName}}' } },
      { type: 'createReminder', data: { note: 'Call', in: { value: 1, unit: 'days' } } },
      { type: 'createApplication', data: { name: 'A flat' } },
      { type: 'moveApplication', data: { stage: 'In review' } },
      { type: 'notifyUser', data: { message: 'Look at {{firstName}}' } },
      { type: 'sendMessage', data: { content: 'Hello {{firstName}}' } },
      { type: 'resolveConversation' },
      { type: 'waitForEvent', data: { event: 'message.received', timeout: { value: 2, unit: 'days' } } },
      { type: 'startWorkflow', data: { workflowId: other._id } },
      { type: 'stopOthers' },
      { type: 'nobodyKnows' },
    ]),
  });
  const before = await everything();
  const first = await simulate(_id, { contactId });
  expect(first.status, first.text).toBe(200);
  expect(await everything()).toEqual(before);
  const done = first.body.data.path.map(({ type, status, reason }: Record<string, string>) =>
    [type, status, ...(reason === undefined ? [] : [reason])].join(': '),
  );
  expect(done).toMatchInlineSnapshot(`
    [
      "trigger: passed",
      "updateContact: passed",
      "addTags: passed",
      "moveStage: passed",
      "assign: passed: No changes",
      "assign: passed: No changes",
      "addNote: passed",
      "createReminder: passed",
      "createApplication: passed",
      "moveApplication: passed",
      "notifyUser: passed",
      "sendMessage: passed",
      "resolveConversation: passed",
      "waitForEvent: waiting",
      "waitForEvent: passed",
      "startWorkflow: passed",
      "stopOthers: passed",
      "nobodyKnows: skipped: unknown_type",
    ]
  `);
  expect((await simulate(_id, { contactId })).body).toEqual(first.body);
});

test('A wait for an event times out unless it is decided to be received', async () => {
  const graph = graphWith(
    {
      start: manual,
      wait: {
        type: 'waitForEvent',
        data: { event: 'message.received', timeout: { value: 2, unit: 'hours' } },
      },
      thanks: { type: 'addNote', data: { note: 'Thanks' } },
      nudge: { type: 'addNote', data: { note: 'Nudge' } },
    },
    ['start wait', 'wait received thanks', 'wait timeout nudge'],
  );
  const { _id: contactId } = await tenants.newContact();
  const later = timestamp(after(new Date(at), 2 * hour));
  for (const [decisions, way, text, when] of [
    [{}, 'timeout', 'Nudge', later],
    [{ wait: 'timeout' }, 'timeout', 'Nudge', later],
    [{ wait: 'received' }, 'received', 'Thanks', timestamp(after(new Date(at), 1))],
  ]) {
    const { path } = await simulated(graph, { contactId, decisions });
    expect(path.slice(1)).toMatchObject([
      { nodeId: 'wait', status: 'waiting', until: later, at },
      { nodeId: 'wait', status: 'passed', way, at: when },
      { status: 'passed', text, at: when },
    ]);
  }
});

test('A workflow that starts itself does so in a simulation, whether it is enabled, was once, or never', async () => {
  const { _id: contactId } = await tenants.newContact();
  const settings = { reentry: 'always' };
  const client = workflowsClient(tenants.product, tenants.rep);
  const again = (workflowId: string) => ({
    ...inARow([
      { type: 'startWorkflow', data: { workflowId } },
      { type: 'addTags', data: { tags: ['x'] } },
    ]),
    settings,
  });
  const { _id } = await newWorkflow(tenants);
  await arrange(client.update(_id, again(_id)));
  const stepsNow = async () =>
    (await simulate(_id, { contactId })).body.data.path.map(
      ({ nodeId, status, reason }: Record<string, string>) => [nodeId, status, reason],
    );
  const expected = [
    ['trigger', 'passed', undefined],
    ['n1', 'passed', undefined],
    ['n2', 'passed', undefined],
  ];
  expect(await stepsNow()).toEqual(expected);
  await arrange(client.toggle(_id, { enabled: true }));
  expect(await stepsNow()).toEqual(expected);
  await arrange(
    tenants.product.call('toggle-workflow', {
      token: tenants.rep.token,
      path: { id: _id },
      query: { cancelRuns: 'true' },
      body: { enabled: false },
    }),
  );
  expect(await stepsNow()).toEqual(expected);
});

test('A decision about a node that waits for no event is refused', async () => {
  const { _id } = await newWorkflow(tenants, inARow([{ type: 'stop' }]));
  for (const nodeId of ['n1', 'nowhere', 'constructor']) {
    expect(await simulate(_id, { decisions: { [nodeId]: 'received' } })).toMatchObject({
      status: 400,
      body: { message: 'decisions must name nodes of the type waitForEvent of this workflow' },
    });
  }
});

test('Without a contact it happens to one that does not exist, and no record of it is left', async () => {
  const before = await everything();
  const graph = inARow([
    { type: 'addTags', data: { tags: ['new'] } },
    { type: 'addNote', data: { note: '{{fullName}}, {{phone}}, {{email}}' } },
  ]);
  const workflow = await newWorkflow(tenants, graph);
  const written = await everything();
  const { body } = await simulate(workflow._id);
  expect(body.data.path.at(-1)).toMatchObject({ text: 'Alex Example, +12025550142, alex@example.com' });
  expect(body.data.runs).toMatchObject([{ status: 'finished' }]);
  expect(await everything()).toEqual(written);
  expect(before.length).toBeLessThan(written.length);
});

test('Each trigger for the topic has a run of its own, and says why it would start none', async () => {
  const filter = [{ field: 'contact.firstName', operator: 'equals', value: 'Grace' }];
  const graph = graphWith(
    {
      one: manual,
      two: { type: 'trigger', data: { event: 'manual.started', filter } },
      three: { type: 'trigger', data: { event: 'contact.created' } },
      note: { type: 'addNote', data: { note: 'Met' } },
    },
    ['one note', 'two note', 'three note'],
  );
  const [ada, grace] = await Promise.all(
    ['Ada', 'Grace'].map((firstName) => tenants.newContact({ firstName })),
  );
  const ofAda = await simulated(graph, { contactId: ada?._id });
  expect(ofAda.runs).toEqual([
    { nodeId: 'one', status: 'finished' },
    { nodeId: 'two', status: 'refused', reason: 'filter_not_met' },
  ]);
  const ofGrace = await simulated(graph, { contactId: grace?._id });
  expect(ofGrace.path.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual([
    'one',
    'note',
    'two',
    'note',
  ]);
});

test('A workflow without a trigger for the topic cannot be tried with it', async () => {
  const { _id } = await newWorkflow(tenants, inARow([{ type: 'stop' }]));
  const response = await simulate(_id, { topic: 'contact.deleted' });
  expect([response.status, response.body.message]).toEqual([
    409,
    'The workflow has no trigger for contact.deleted that starts runs.',
  ]);
});

test('A simulated start by hand names the caller, unless the request says otherwise', async () => {
  const graph = inARow([{ type: 'addNote', data: { note: 'By {{event.userId}}' } }]);
  const textOf = async (event: object) => (await simulated(graph, { event })).path[1].text;
  expect(await textOf({})).toBe(`By ${rep.userId}`);
  expect(await textOf({ userId: otherRep.userId })).toBe(`By ${otherRep.userId}`);
});

test('A contact that is deleted is gone for the steps', async () => {
  const { _id: contactId } = await tenants.newContact();
  const graph = inARow([{ type: 'addNote', data: { note: 'Gone' } }], 'contact.deleted');
  const { path } = await simulated(graph, { contactId, topic: 'contact.deleted' });
  expect(path).toMatchObject([{ status: 'passed' }, { status: 'skipped', reason: 'contact_gone' }]);
});
