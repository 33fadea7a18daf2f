import { afterEach, expect, test } from 'vitest';
import { advanceRun } from '../../functions/workflows/model/runs/advance-run.ts';
import { runEventKey } from '../../functions/workflows/model/runs/run.ts';
import { after, day, minute } from '../../shared/kernel/time.ts';
import type { Call } from '../harness/call.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { inARow, prepareRuns } from './advancing.ts';
import { prepareStarts } from './starting.ts';

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;
const { text } = await newWebhookClient(product, admin, rep);
const starts = await prepareStarts(tenants);
const runs = await prepareRuns(tenants);
const faulty = setUpFaultyTable();
afterEach(() => faulty.clear());

const call = async (name: string, more: Call = {}) =>
  (await arrange(product.call(name, { token: rep.token, ...more }))).data;

const waiting = (data: Record<string, unknown>) => ({
  type: 'waitForEvent',
  data: { timeout: { value: 3, unit: 'days' }, ...data },
});
const forYes = {
  event: 'message.received',
  filter: [{ field: 'event.text', operator: 'contains', value: 'yes' }],
};
const longDelay = { type: 'delay', data: { value: 3, unit: 'days' } };

/** A run of a new contact with a number that has come to its first wait. */
async function newWaitingRun(graph: object) {
  const workflow = await starts.newWorkflow(graph);
  const From = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: From }] });
  await starts.tell();
  const { runs: started } = await call('run-workflow', {
    path: { id: workflow._id },
    body: { contactId },
  });
  const runId: string = started[0].runId;
  await runs.advance(runId);
  return {
    contactId,
    runId,
    writes: async (Body: string) => {
      await arrange(text({ From, Body }));
      return starts.newRecords();
    },
    read: () => runs.run(runId),
    ways: async () => (await runs.stepRecords(runId)).map(({ type, status, way }) => [type, status, way]),
  };
}

test('A run that waits for an event goes on by it, if its filter lets it through, and not by the time', async () => {
  const { writes, runId, read, ways } = await newWaitingRun(inARow([waiting(forYes), longDelay]));
  expect(await starts.deliver(await writes('What is it?'))).toMatchObject({ received: 0 });
  expect(await read()).toMatchObject({ status: 'waiting' });
  expect(await starts.deliver(await writes('Yes, please'))).toMatchObject({ received: 1 });
  expect(await read()).toMatchObject({ status: 'running' });
  await runs.advance(runId, after(new Date(), day));
  expect(await ways()).toEqual([
    ['trigger', 'passed', undefined],
    ['waitForEvent', 'waiting', undefined],
    ['waitForEvent', 'passed', 'received'],
    ['delay', 'waiting', undefined],
  ]);
});

test('An event is passed to all runs of a contact that wait for it with as many requests as to one', async () => {
  const { contactId, writes } = await newWaitingRun(inARow([waiting(forYes)]));
  const workflow = await starts.newWorkflow({
    ...inARow([waiting(forYes)]),
    settings: { reentry: 'always' },
  });
  const requestsOf = async (Body: string) => {
    const records = await writes(Body);
    faulty.clear();
    expect(await starts.deliver(records)).toMatchObject({ received: 0 });
    return faulty.tries('GetItemCommand').length + faulty.tries('BatchGetItemCommand').length;
  };
  const ofOne = await requestsOf('What is it?');
  for (let started = 0; started < 10; started += 1) {
    const told = await call('run-workflow', { path: { id: workflow._id }, body: { contactId } });
    await runs.advance(told.runs[0].runId);
  }
  expect(await requestsOf('What is it?')).toBe(ofOne);
});

test('An answer that comes before the wait for it has begun is not missed, and another one is not taken for it', async () => {
  const workflow = await runs.newWorkflow(
    inARow([{ type: 'addTags', data: { tags: ['asked'] } }, waiting(forYes), waiting(forYes)]),
  );
  const From = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: From }] });
  const runId = await runs.start(workflow, contactId);
  const response = async (Body: string) => {
    await arrange(text({ From, Body }));
    return starts.newRecords();
  };
  // The process ends after the step before the wait.
  await advanceRun(runs.contextAt(new Date()), runId, { steps: 2, time: minute });
  expect(await starts.deliver(await response('What is it?'))).toMatchObject({ received: 0 });
  const records = await response('Yes, please');
  expect(await starts.deliver(records)).toMatchObject({ received: 1 });
  expect(await starts.deliver(records)).toMatchObject({ received: 0 });
  await runs.advance(runId, after(new Date(), minute));
  expect((await runs.stepRecords(runId)).map(({ nodeId, status, way }) => [nodeId, status, way])).toEqual([
    ['trigger', 'passed', undefined],
    ['n1', 'passed', undefined],
    ['n2', 'passed', 'received'],
    ['n3', 'waiting', undefined],
  ]);
});

test('An answer that comes while the wait for it is being written is not missed', async () => {
  const workflow = await runs.newWorkflow(
    inARow([{ type: 'addTags', data: { tags: ['asked'] } }, waiting(forYes)]),
  );
  const From = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: From }] });
  const runId = await runs.start(workflow, contactId);
  await advanceRun(runs.contextAt(new Date()), runId, { steps: 2, time: minute });
  faulty.next('TransactWriteItemsCommand', async (next) => {
    await arrange(text({ From, Body: 'Yes' }));
    expect(await starts.tell()).toMatchObject({ received: 1 });
    return next();
  });
  await runs.advance(runId);
  expect(await runs.run(runId)).toMatchObject({ status: 'finished', steps: 3 });
});

test('What a run did before its wait does not end it, and what it does beside the wait does', async () => {
  const isTag = (value: string) => [{ field: 'event.tag', operator: 'equals', value }];
  const untilTagged = (tag: string) => waiting({ event: 'contact.tag_added', filter: isTag(tag) });
  const workflow = await runs.newWorkflow(
    inARow([{ type: 'addTags', data: { tags: ['own'] } }, untilTagged('own'), { type: 'stop' }]),
  );
  const { _id: contactId } = await newContact();
  await starts.tell();
  const runId = await runs.start(workflow, contactId);
  await runs.advance(runId);
  expect(await starts.tell()).toMatchObject({ received: 0 });
  expect(await runs.run(runId)).toMatchObject({ status: 'waiting' });

  // Two paths from the trigger: one waits for what the other does.
  const { nodes, edges } = inARow([untilTagged('beside'), { type: 'addTags', data: { tags: ['beside'] } }]);
  const forked = await runs.newWorkflow({
    nodes,
    edges: edges.map((edge) => ({ ...edge, source: 'trigger' })),
  });
  const other = await runs.start(forked, contactId);
  await runs.advance(other);
  expect(await starts.tell()).toMatchObject({ received: 1 });
  await runs.advance(other);
  expect(await runs.run(other)).toMatchObject({ status: 'finished' });
});

test('What happened between two steps of a turn, before the one that leads to a wait, does not end the wait', async () => {
  const workflow = await runs.newWorkflow(
    inARow([
      { type: 'addNote', data: { note: 'One' } },
      { type: 'addTags', data: { tags: ['Two'] } },
      waiting({ event: 'contact.updated' }),
    ]),
  );
  const { _id: contactId } = await newContact();
  await starts.tell();
  const runId = await runs.start(workflow, contactId);
  faulty.next(
    'TransactWriteItemsCommand',
    (next) => next(),
    async (next) => {
      const result = await next();
      await call('update-contact', { path: { id: contactId }, body: { firstName: 'Early' } });
      return result;
    },
  );
  await runs.advance(runId);
  expect(await starts.tell()).toMatchObject({ received: 0 });
  expect(await runs.run(runId)).toMatchObject({ status: 'waiting' });
});

test('An answer that came before its wait is not missed when it is delivered after it began', async () => {
  const workflow = await runs.newWorkflow(
    inARow([{ type: 'addTags', data: { tags: ['asked'] } }, waiting(forYes)]),
  );
  const From = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: From }] });
  await starts.tell();
  const runId = await runs.start(workflow, contactId);
  await advanceRun(runs.contextAt(new Date()), runId, { steps: 2, time: minute });
  await arrange(text({ From, Body: 'Yes' }));
  await runs.advance(runId, after(new Date(), minute));
  expect(await runs.run(runId)).toMatchObject({ status: 'waiting' });
  expect(await starts.tell()).toMatchObject({ received: 1 });
});

test('An event ends one wait, however often it is delivered: a later wait for the same waits for the next', async () => {
  const { writes, runId, read, ways } = await newWaitingRun(inARow([waiting(forYes), waiting(forYes)]));
  const records = await writes('Yes');
  await Promise.all([starts.deliver(records), starts.deliver(records), starts.deliver(records)]);
  await runs.advance(runId, after(new Date(), minute));
  for (let index = 0; index < 10; index += 1) {
    await starts.deliver(records);
  }
  expect(await read()).toMatchObject({ status: 'waiting' });
  expect(
    (await ways()).filter(([type, status]) => type === 'waitForEvent' && status === 'passed'),
  ).toHaveLength(1);
});

test('A reply ends a run that stops on replies, as finished', async () => {
  const graph = { ...inARow([longDelay]), settings: { stopOnReply: true } };
  const { writes, read } = await newWaitingRun(graph);
  await starts.deliver(await writes('Stop asking'));
  expect(await read()).toMatchObject({ status: 'finished', reason: 'reply', tokens: [] });
});

test('The goal of a workflow ends its run, as finished; what others do and what is not a goal does not', async () => {
  const goal = {
    event: 'contact.stage_changed',
    filter: [{ field: 'event.stage', operator: 'equals', value: 'Won' }],
  };
  const graph = { ...inARow([longDelay]), settings: { goal } };
  const { contactId, read } = await newWaitingRun(graph);
  const { _id: other } = await newContact();
  const move = async (id: string, stage: string) => {
    await call('move-contact', { path: { id }, body: { stage } });
    await starts.tell();
  };
  await move(other, 'Won');
  await move(contactId, 'Contacted');
  expect(await read()).toMatchObject({ status: 'waiting' });
  await move(contactId, 'Won');
  expect(await read()).toMatchObject({ status: 'finished', reason: 'goal' });
});

test('An event from before the run does not end it, however late it is delivered', async () => {
  const graph = { ...inARow([longDelay]), settings: { stopOnReply: true } };
  const workflow = await starts.newWorkflow(graph);
  const From = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: From }] });
  await arrange(text({ From, Body: 'Hello' }));
  const { runs: started } = await call('run-workflow', { path: { id: workflow._id }, body: { contactId } });
  await runs.advance(started[0].runId);
  await starts.tell();
  expect(await runs.run(started[0].runId)).toMatchObject({ status: 'waiting' });
});

test('A run that fails starts the workflows that follow failures', async () => {
  const failing = { type: 'addNote', data: { note: '{{event.nothing}}' } };
  const watcher = await starts.newWorkflow(inARow([], 'run.failed'));
  const { contactId, runId, read } = await newWaitingRun(inARow([failing]));
  const run = await read();
  expect(run?.status).toBe('failed');
  await starts.tell();
  const [, watching, ...others] = await starts.runs(contactId);
  expect(others).toEqual([]);
  expect(watching).toMatchObject({
    workflowId: watcher._id,
    topic: 'run.failed',
    chain: [run?.workflowId, watcher._id],
  });
  expect((await starts.table.read(runEventKey(watching?._id ?? '')))?.data).toMatchObject({
    ...{ runId, workflowId: run?.workflowId, contactId },
    ...{ nodeId: 'n1', reason: expect.any(String) },
  });
});
