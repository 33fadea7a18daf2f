import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { checksIn, edge, node, trigger } from './checking.ts';
import { workflowsClient } from './client.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const workflows = workflowsClient(product, rep);
const { check, problemsOf } = checksIn(tenants);

const wait = (id: string) => node(id, 'delay', { value: 1, unit: 'days' });

test('A workflow without a problem is runnable', async () => {
  const { _id } = await workflows.created({ nodes: [trigger, wait('a')], edges: [edge('start', 'a', null)] });
  expect(expectStatus(await check(_id), 200)).toEqual({
    success: true,
    data: { runnable: true, problems: [] },
  });
});

test('A workflow that nothing starts is not runnable', async () => {
  const { _id } = await workflows.created();
  expect(expectStatus(await check(_id), 200).data).toEqual({
    runnable: false,
    problems: [
      {
        nodeId: null,
        severity: 'error',
        message: 'Nothing starts this workflow. Add a trigger, and name its event.',
      },
    ],
  });
});

test('An event that does not exist is an error that names those of its kind', async () => {
  expect(await problemsOf({ nodes: [trigger, node('b', 'trigger', { event: 'contact.won' })] })).toEqual([
    'b error: "contact.won" is not an event. Choose one of contact.created, contact.updated, contact.merged, contact.deleted, contact.stage_changed, contact.assigned, contact.tag_added, contact.opted_out, contact.opted_in.',
  ]);
  expect(await problemsOf({ nodes: [trigger, node('b', 'trigger', { event: 'x' })] })).toEqual([
    'b error: "x" is not an event. GET /api/workflow-node-types lists all events.',
  ]);
});

test('Data that is not valid is an error that names the path', async () => {
  const nodes = [trigger, node('a', 'condition', { rules: [{ field: 'stage', operator: 'is' }] })];
  expect(await problemsOf({ nodes, edges: [edge('start', 'a')] })).toEqual([
    'a error: The step is skipped, because its data is not valid: rules[0].field must be businessHours.open, or begin with contact., event. or step.<nodeId>.; rules[0].operator must be one of equals, not_equals, contains, starts_with, gt, gte, lt, lte, in, exists, not_exists.',
  ]);
});

test('Edges that lead nowhere, unknown types and nodes that nothing leads to are reported', async () => {
  const nodes = [trigger, node('a', 'sendLetter'), wait('alone')];
  const edges = [edge('start', 'a'), edge('a', 'gone'), edge('lost', 'a')];
  expect(await problemsOf({ nodes, edges })).toEqual([
    'null warning: An edge leaves "lost", but no node has this id. Remove the edge.',
    'a error: "sendLetter" is not a type of node. The step is skipped.',
    'a warning: An edge leads to "gone", but no node has this id.',
    'alone warning: No trigger leads here, so it never runs.',
  ]);
});

test('Fields that an event does not have are reported, in filters with those that it has', async () => {
  const tagged = {
    event: 'contact.tag_added',
    filter: [{ field: 'event.tags', operator: 'equals', value: 'x' }],
  };
  const nodes = [
    node('start', 'trigger', tagged),
    node('lead', 'trigger', { event: 'lead.received' }),
    node('note', 'addNote', {
      note: '{{event.tag}} {{event.customFields.size}} {{ event.zip|none }} {{firstName}}',
    }),
    node('asks', 'condition', { rules: [{ field: 'event.nothing', operator: 'exists' }] }),
    node('waits', 'waitForEvent', {
      ...{ event: 'message.received', timeout: { value: 1, unit: 'days' } },
      filter: [
        { field: 'event.text', operator: 'contains', value: 'yes' },
        { field: 'step.note.status', operator: 'equals', value: 'passed' },
      ],
    }),
  ];
  const edges = [edge('start', 'note'), edge('lead', 'note'), edge('note', 'asks'), edge('asks', 'waits')];
  const goal = { event: 'contact.opted_out', filter: [{ field: 'event.by', operator: 'exists' }] };
  expect(await problemsOf({ nodes, edges, settings: { goal } })).toEqual([
    'null warning: goal: filter[0].field: contact.opted_out has no field "event.by". It has event.contactId, event.at, event.source, event.since.',
    'start warning: filter[0].field: contact.tag_added has no field "event.tags". It has event.contactId, event.at, event.tag.',
    'note warning: It refers to "event.zip", which contact.tag_added and lead.received do not have.',
    'asks warning: It refers to "event.nothing", which contact.tag_added and lead.received do not have.',
    'waits warning: filter[1].field: A filter cannot use steps. Use a condition instead.',
  ]);
});

test('A step that only the deletion of its contact leads to is reported if it needs the contact', async () => {
  const deleted = node('deleted', 'trigger', { event: 'contact.deleted' });
  const nodes = [trigger, deleted, wait('a'), node('b', 'addTags', { tags: ['x'] }), node('c', 'stopOthers')];
  const edges = [edge('deleted', 'a'), edge('a', 'b'), edge('a', 'c'), edge('start', 'c')];
  expect(await problemsOf({ nodes, edges })).toEqual([
    'b warning: Only contact.deleted leads here. The contact is gone by then, so the step is skipped.',
  ]);
});

test('An edge that leaves by a way that the node does not have is reported, one by `error` is not', async () => {
  const nodes = [trigger, node('a', 'condition', { rules: [] }), wait('b')];
  const edges = [edge('start', 'a'), edge('a', 'b', 'yes'), edge('a', 'b', 'true'), edge('b', 'a', 'error')];
  expect(await problemsOf({ nodes, edges })).toEqual([
    'a warning: An edge leaves it by the way "yes", which a condition does not have. Its ways are "true", "false".',
  ]);
});

test('A circle without a wait is reported, one with a wait is not', async () => {
  const round = (type: ReturnType<typeof node>, more: readonly unknown[] = []) => ({
    nodes: [trigger, type, node('b', 'condition', { rules: [] })],
    edges: [edge('start', 'a'), edge('a', 'b'), edge('b', 'a', 'true'), ...more],
  });
  const quick = node('a', 'condition', { rules: [] });
  expect(await problemsOf(round(wait('a')))).toEqual([]);
  expect(await problemsOf(round(quick))).toEqual([
    expect.stringMatching(/^[ab] error: Runs loop here without a wait or a way out/),
  ]);
  const out = await problemsOf({ ...round(quick, [edge('b', 'start', 'false')]) });
  expect(out).toEqual([expect.stringMatching(/error: Runs loop/)]);
  const exit = round(quick, [edge('b', 'c', 'false')]);
  expect(await problemsOf({ ...exit, nodes: [...exit.nodes, wait('c')] })).toEqual([
    expect.stringMatching(/^[ab] warning: Runs can loop here without a wait/),
  ]);
  const again = node('a', 'sendMessage', { content: 'Hello' });
  expect(await problemsOf({ nodes: [trigger, again], edges: [edge('start', 'a'), edge('a', 'a')] })).toEqual([
    expect.stringMatching(/^a error: Runs loop here without a wait or a way out/),
  ]);
});

test('Two nodes with one id, and a reference to a step that does not exist, are reported', async () => {
  const asks = node('a', 'condition', {
    rules: [{ field: 'step.gone.way', operator: 'equals', value: '{{step.start.status}}' }],
  });
  expect(await problemsOf({ nodes: [trigger, asks, asks], edges: [edge('start', 'a')] })).toEqual([
    'a error: 2 nodes have this id. Only the first one counts: give each its own.',
    'a warning: It refers to the step "gone", but no node has this id.',
  ]);
});

test.each([[[1]], ['never'], [7], [true]])(
  'Settings that are not an object, like %j, are reported',
  async (settings) => {
    expect(await problemsOf({ nodes: [trigger], settings })).toEqual([
      'null warning: The settings are not an object, so the defaults apply.',
    ]);
    expect(await problemsOf({ nodes: [trigger], settings: null })).toEqual([]);
  },
);

test('Settings that cannot be read are reported', async () => {
  const settings = { reentry: 'often', stopOnReply: null, rate: { value: 0, unit: 'minute' } };
  expect(await problemsOf({ nodes: [trigger], settings })).toEqual([
    'null warning: The setting reentry is not valid, so the default applies: it must be one of never, after_finish, always.',
    'null warning: The setting rate is not valid, so the default applies: value must be greater than 0.',
  ]);
});

test('Rules that would hold up everybody are reported, wherever they are', async () => {
  const long = [{ field: 'contact.stage', operator: 'equals', value: 'x'.repeat(5_000) }];
  const many = [{ field: 'contact.tags', operator: 'in', value: Array.from({ length: 101 }, (_, n) => n) }];
  const timeout = { value: 1, unit: 'days' };
  expect(
    await problemsOf({
      nodes: [
        trigger,
        node('a', 'trigger', { event: 'contact.created', filter: long }),
        node('b', 'waitForEvent', { event: 'contact.updated', timeout, filter: long }),
        node('c', 'condition', { rules: many }),
      ],
      edges: [edge('start', 'b'), edge('b', 'c')],
      settings: { goal: { event: 'contact.updated', filter: long } },
    }),
  ).toEqual([
    'null warning: The setting goal is not valid, so the default applies: filter must have at most 4 KB as JSON.',
    'a error: The trigger starts no runs, because its data is not valid: filter must have at most 4 KB as JSON.',
    'b error: The step is skipped, because its data is not valid: filter must have at most 4 KB as JSON.',
    'c error: The step is skipped, because its data is not valid: rules[0].value must have at most 100 items.',
  ]);
});

test.each([
  { value: 1e-200, unit: 'week' },
  { value: 1, unit: 'week' },
  { value: 1e9, unit: 'second' },
])('The rate %j is reported, and the usual one applies', async (rate) => {
  expect(await problemsOf({ nodes: [trigger], settings: { rate } })).toEqual([
    'null warning: The setting rate is not valid, so the default applies: it must be at least one start a day, and at most 1,000 a second.',
  ]);
});

test('Create, update and toggle say how many problems the workflow has, and refuse none', async () => {
  const graph = { nodes: [trigger], edges: [] };
  const sent = { name: 'Counted', ...graph };
  const created = await workflows.create(sent);
  expect(created).toMatchObject({ status: 201, body: { message: 'Workflow created' } });
  const id = created.body.data._id;
  const draft = { nodes: [node('a', 'condition'), node('b', 'sendMessage', { template: 'gone' })] };
  expect((await workflows.update(id, draft)).body.message).toBe('Workflow updated, with 5 problems');
  expect((await workflows.toggle(id)).body.message).toBe('Workflow enabled, with 5 problems');
  expect((await workflows.update(id, draft)).body.message).toBe('No changes, with 5 problems');
  expect((await workflows.toggle(id, { enabled: true })).body.message).toBe(
    'The workflow is already enabled, with 5 problems',
  );
  expect((await workflows.update(id, graph)).body.message).toBe('Workflow updated');
  expect((await workflows.toggle(id)).body.message).toBe('Workflow disabled');
});

test('A hostile draft of 10,000 nodes is checked', async () => {
  const nodes = Array.from({ length: 10_000 }, (_, index) =>
    node(`constructor${index}`, index === 0 ? 'trigger' : 'condition', {
      rules: index,
      event: 'note.created',
    }),
  );
  const edges = nodes.map(({ id }, index) => edge(id, nodes[(index + 1) % nodes.length]?.id ?? ''));
  const { _id } = await workflows.created({ nodes, edges });
  const { problems } = expectStatus(await check(_id), 200).data;
  expect(problems).toHaveLength(1_000);
});
