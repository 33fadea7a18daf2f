import { expect, test } from 'vitest';
import { after, day, hour, timestamp } from '../../shared/kernel/time.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/world.ts';
import { rowsOf } from '../seed/table.ts';
import { inARow } from './advancing.ts';
import { newWorkflow, workflowsClient } from './client.ts';

const world = await setUpWorld();
const { product, head, rep, stranger, admin, foreigner } = world;
const at = '2027-01-15T09:00:00.000Z';

const everything = () => rowsOf(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName);

function simulate(workflowId: string, body: Record<string, unknown> = {}, person: Person = rep) {
  return product.call('simulate-workflow', {
    token: person.token,
    path: { id: workflowId },
    body: { topic: 'manual.started', at, ...body },
  });
}

/** What a simulation tells of a workflow that is not enabled. */
async function simulated(graph: object, body: Record<string, unknown> = {}) {
  const { _id } = await newWorkflow(world, { ...graph });
  const answer = await simulate(_id, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

/** A graph of the nodes and edges by name: `from to` or `from way to`. */
function graphOf(nodes: Record<string, { type: string; data?: object }>, edges: readonly string[]) {
  return {
    nodes: Object.entries(nodes).map(([id, { type, data = {} }]) => ({ id, type, data, position })),
    edges: edges.map((text, index) => {
      const [source = '', ...rest] = text.split(' ');
      const [target = '', sourceHandle] = rest.reverse();
      return { id: `e${index}`, source, target, ...(sourceHandle !== undefined && { sourceHandle }) };
    }),
  };
}

const position = { x: 0, y: 0 };
const manual = { type: 'trigger', data: { event: 'manual.started' } };

test('A draft is followed over its waits, with the texts as they would read and the times of its steps', async () => {
  const { _id: contactId } = await world.newContact({ firstName: 'Ada' });
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

test('Later steps see what earlier ones would have done', async () => {
  const contact = await world.newContact({ tags: ['cold'] });
  const rules = [
    { field: 'contact.tags', operator: 'equals', value: 'hot' },
    { field: 'contact.tags', operator: 'not_equals', value: 'cold' },
    { field: 'contact.stage', operator: 'equals', value: 'Contacted' },
    { field: 'step.n1.status', operator: 'equals', value: 'passed' },
  ];
  const { path } = await simulated(
    inARow([
      { type: 'addTags', data: { tags: ['hot'] } },
      { type: 'removeTags', data: { tags: ['cold'] } },
      { type: 'moveStage', data: { stage: 'Contacted' } },
      { type: 'condition', data: { rules } },
    ]),
    { contactId: contact._id },
  );
  expect(path.at(-1)).toMatchObject({ nodeId: 'n4', way: 'true' });
});

test('Nothing is written by steps of any type, and the next request finds everything as it was', async () => {
  const { _id: contactId } = await world.newContact({ firstName: 'Ada' });
  const other = await newWorkflow(world, { enabled: true, ...inARow([{ type: 'stop' }]) });
  const { _id } = await newWorkflow(world, {
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
  const graph = graphOf(
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
  const { _id: contactId } = await world.newContact();
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

test('A decision about a node that waits for no event is refused', async () => {
  const { _id } = await newWorkflow(world, inARow([{ type: 'stop' }]));
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
  const workflow = await newWorkflow(world, graph);
  const written = await everything();
  const { body } = await simulate(workflow._id);
  expect(body.data.path.at(-1)).toMatchObject({ text: 'Alex Example, +12025550142, alex@example.com' });
  expect(body.data.runs).toMatchObject([{ status: 'finished' }]);
  expect(await everything()).toEqual(written);
  expect(before.length).toBeLessThan(written.length);
});

test('Each trigger for the topic has a run of its own, and says why it would start none', async () => {
  const filter = [{ field: 'contact.firstName', operator: 'equals', value: 'Grace' }];
  const graph = graphOf(
    {
      one: manual,
      two: { type: 'trigger', data: { event: 'manual.started', filter } },
      three: { type: 'trigger', data: { event: 'contact.created' } },
      note: { type: 'addNote', data: { note: 'Met' } },
    },
    ['one note', 'two note', 'three note'],
  );
  const [ada, grace] = await Promise.all(
    ['Ada', 'Grace'].map((firstName) => world.newContact({ firstName })),
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
  const { _id } = await newWorkflow(world, inARow([{ type: 'stop' }]));
  const answer = await simulate(_id, { topic: 'contact.deleted' });
  expect([answer.status, answer.body.message]).toEqual([
    409,
    'The workflow has no trigger for contact.deleted that starts runs.',
  ]);
});

test('A trigger that would start nothing, because its filter is too large, cannot be tried', async () => {
  const filter = [{ field: 'contact.firstName', operator: 'equals', value: 'x'.repeat(5_000) }];
  const nodes = { one: { type: 'trigger', data: { event: 'manual.started', filter } } };
  const { _id } = await newWorkflow(world, graphOf(nodes, []));
  expect((await simulate(_id)).status).toBe(409);
});

test('What is started by hand knows who tries it, unless the request says otherwise', async () => {
  const graph = inARow([{ type: 'addNote', data: { note: 'By {{event.userId}}' } }]);
  const textOf = async (event: object) => (await simulated(graph, { event })).path[1].text;
  expect(await textOf({})).toBe(`By ${rep.userId}`);
  expect(await textOf({ userId: stranger.userId })).toBe(`By ${stranger.userId}`);
});

test('A wait until the end of time lasts as long as a run may', async () => {
  const data = { at: '9999-12-31T23:59:59', zone: 'America/New_York' };
  const { path } = await simulated(inARow([{ type: 'waitUntil', data }]));
  expect(path[1]).toMatchObject({ status: 'waiting', until: timestamp(after(new Date(at), 365 * day)) });
});

test('A contact that is deleted is gone for the steps', async () => {
  const { _id: contactId } = await world.newContact();
  const graph = inARow([{ type: 'addNote', data: { note: 'Gone' } }], 'contact.deleted');
  const { path } = await simulated(graph, { contactId, topic: 'contact.deleted' });
  expect(path).toMatchObject([{ status: 'passed' }, { status: 'skipped', reason: 'contact_gone' }]);
});

test('It acts with the rights of the owner of the workflow, whoever tries it', async () => {
  const mine = await product.call('create-contact', {
    token: stranger.token,
    body: { firstName: 'Grace' },
  });
  const { _id } = await newWorkflow(world, inARow([{ type: 'addNote', data: { note: 'Met' } }]));
  const contactId = mine.body.data._id;
  expect((await simulate(_id, { contactId })).status).toBe(404);
  const answer = await simulate(_id, { contactId }, admin);
  expect(answer.body.data).toEqual({
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

test('Only those who may see the workflow and the contact may try it', async () => {
  const { _id: contactId } = await world.newContact();
  const { _id } = await newWorkflow(world, inARow([{ type: 'stop' }]));
  for (const person of [stranger, foreigner]) {
    expect((await simulate(_id, { contactId }, person)).body.message).toBe('Workflow not found');
  }
  expect((await simulate(_id, { contactId: 'nobody' })).body.message).toBe('Contact not found');
});

test('A circle is followed for 200 steps, and the run is then not at its end', async () => {
  const graph = graphOf({ start: manual, one: { type: 'condition', data: { rules: [] } } }, [
    'start one',
    'one one',
  ]);
  const { path, runs } = await simulated(graph);
  expect(path).toHaveLength(200);
  expect(runs).toEqual([{ nodeId: 'start', status: 'running' }]);
});

test('Of many triggers those run that would for real, as far as the steps go', async () => {
  const nodes = Array.from({ length: 60 }, (_, n) => [`t${n}`, manual] as const);
  const { path, runs } = await simulated(graphOf(Object.fromEntries(nodes), []));
  expect([path.length, runs.length]).toEqual([50, 50]);
  const circle = graphOf({ a: manual, b: manual, x: { type: 'condition', data: { rules: [] } } }, [
    'a x',
    'b x',
    'x true x',
  ]);
  expect((await simulated(circle)).runs).toEqual([{ nodeId: 'a', status: 'running' }]);
});

test('A text that grows too long fails, and is not built', async () => {
  const { _id: contactId } = await world.newContact({ customFields: { x: 'y'.repeat(16_000) } });
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

test('A time that no id can hold is refused', async () => {
  const { _id } = await newWorkflow(world, inARow([{ type: 'stop' }]));
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
  const { _id: contactId } = await world.newContact();
  const { _id } = await newWorkflow(world, graph);
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
