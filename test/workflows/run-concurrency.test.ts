import { expect, test } from 'vitest';
import { runRange, stepRecordRange } from '../../functions/workflows/model/runs/run.ts';
import { type DueEntry, duePart } from '../../shared/events/due-entry.ts';
import type { DueOperations } from '../../shared/events/due-operation.ts';
import type { Providers } from '../../shared/kernel/serve/invocation.ts';
import { after, day, minute } from '../../shared/kernel/time.ts';
import type { Action } from '../../shared/table/table.ts';
import { readStatistics } from '../../shared/workflows/run-statistics.ts';
import { clockClient } from '../harness/clock.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange } from '../harness/tenants.ts';
import { inARow, prepareRuns } from './advancing.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const runs = await prepareRuns(tenants);
const clock = clockClient(product);
const stream = await tableStream(product);

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const call = (name: string, id: string, body?: unknown) =>
  arrange(product.call(name, { token: rep.token, path: { id }, body }));

test('Fifty runs for one contact add all their tags, each once, while people edit the contact', async () => {
  const { _id: contactId } = await tenants.newContact();
  const started = await Promise.all(
    numbers(50).map(async (number) => {
      const workflow = await runs.newWorkflow(inARow([{ type: 'addTags', data: { tags: [`t${number}`] } }]));
      return runs.start(workflow, contactId);
    }),
  );
  let isOver = false;
  const editing = (async () => {
    let edits = 0;
    while (!isOver) {
      edits += 1;
      await call('update-contact', contactId, { source: `Edit ${edits}` });
    }
    return `Edit ${edits}`;
  })();
  // What meets too many others is tried again.
  for (let left = started; left.length > 0; ) {
    await Promise.all(left.map((runId) => runs.advance(runId)));
    const now = await Promise.all(left.map((runId) => runs.run(runId)));
    left = left.filter((_, index) => now[index]?.finishedAt === undefined);
  }
  isOver = true;
  const source = await editing;
  const { data } = await call('read-contact', contactId);
  expect(data.tags.sort()).toEqual(
    numbers(50)
      .map((number) => `t${number}`)
      .sort(),
  );
  expect(data.source).toBe(source);
  for (const runId of started) {
    expect(await runs.stepRecords(runId)).toMatchObject([
      { nodeId: 'trigger' },
      { nodeId: 'n1', status: 'passed' },
    ]);
  }
});

test('A run that is cancelled while its steps are taken does nothing after its end', async () => {
  const { _id: contactId } = await tenants.newContact();
  const workflow = await runs.newWorkflow(
    inARow(numbers(20).map((number) => ({ type: 'addNote', data: { note: `Note ${number}` } }))),
  );
  const runId = await runs.start(workflow, contactId);
  const advancing = runs.advance(runId);
  await Promise.all([advancing, call('cancel-workflow-run', runId)]);
  const run = await runs.run(runId);
  const stepRecords = await runs.stepRecords(runId);
  const notes = await arrange(product.call('list-notes', { token: rep.token, query: { contactId } }));
  expect(['cancelled', 'finished']).toContain(run?.status);
  expect(stepRecords).toHaveLength(run?.steps ?? -1);
  expect(notes.data).toHaveLength(stepRecords.filter(({ type }) => type === 'addNote').length);
  await runs.advance(runId);
  expect(await runs.stepRecords(runId)).toEqual(stepRecords);
});

test('Nothing is left of the runs of a contact that is deleted in the middle, and nothing comes back', async () => {
  const graph = inARow([
    { type: 'delay', data: { value: 1, unit: 'days' } },
    ...numbers(10).map((number) => ({ type: 'addNote', data: { note: `Note ${number}` } })),
  ]);
  const workflow = await runs.newWorkflow(graph);
  const start = new Date();
  const contacts = await Promise.all(numbers(5).map(() => tenants.newContact()));
  const started = await Promise.all(contacts.map(({ _id }) => runs.start(workflow, _id, { at: start })));
  await Promise.all(started.map((runId) => runs.advance(runId, start)));
  await stream.settle();
  const later = after(start, day + minute);
  // Two are deleted while they wait, the others while their steps are taken.
  await Promise.all([
    ...contacts.map(({ _id }) => call('delete-contact', _id)),
    ...started.slice(2).map((runId) => runs.advance(runId, later)),
  ]);
  await stream.settle();
  await clock.run(later);
  await stream.settle();
  await runs.deliverAll(later);
  await Promise.all(started.map((runId) => runs.advance(runId, later)));
  await stream.settle();
  for (const [index, { _id }] of contacts.entries()) {
    expect(await runs.table.list({ partition: ['CONTACT', _id] })).toEqual([]);
    expect(await runs.table.list(runRange(_id))).toEqual([]);
    expect(await runs.table.list(stepRecordRange(started[index] ?? ''))).toEqual([]);
  }
  const due = await clock.waitingUntil(after(start, 400 * day));
  expect(due.filter(({ id }) => started.includes(id))).toEqual([]);
  const list = await arrange(
    product.call('list-workflow-runs', { token: rep.token, path: { id: workflow._id } }),
  );
  expect(list.data).toEqual([]);
  const waiting = [...(await readStatistics(runs.table, workflow._id)).values()].map(
    (statistics) => statistics.waiting,
  );
  expect(waiting.filter((count) => count !== 0)).toEqual([]);
});

test('Sixty runs that wait are woken when their time has come, once, even after an outage of a day', async () => {
  const workflow = await runs.newWorkflow(
    inARow([
      { type: 'delay', data: { value: 3, unit: 'weeks' } },
      { type: 'addTags', data: { tags: ['woken'] } },
    ]),
  );
  const begin = new Date();
  const started = await Promise.all(
    numbers(60).map(async (number) => {
      const at = after(begin, number * minute);
      const { _id } = await tenants.newContact();
      const runId = await runs.start(workflow, _id, { at });
      await runs.advance(runId, at);
      return runId;
    }),
  );
  await stream.settle();
  product.queues.workflowRuns.take();
  const firstDue = after(begin, 21 * day);
  // While they wait, nobody asks for them.
  const before = await stream.texts();
  const waiting = await clock.run(after(firstDue, -2 * minute));
  expect(waiting).not.toHaveProperty('woken');
  await stream.settle();
  expect(await stream.texts()).toEqual(before);
  expect(product.queues.workflowRuns.waiting).toEqual([]);
  // A clock that stands still within the first minutes wakes those alone whose time has come.
  expect(await clock.run(after(firstDue, 9.5 * minute))).toMatchObject({ woken: 10 });
  await stream.settle();
  // The next one is handed over already, for its second.
  const woken = product.queues.workflowRuns
    .take()
    .flatMap(({ body, delay }) => (delay === 0 ? JSON.parse(body).runId : []));
  expect(woken.sort()).toEqual(started.slice(0, 10).sort());

  const afterOutage = after(firstDue, day);
  const { dueOperations } = product.providers as Required<Providers>;
  const order: DueEntry[] = [];
  product.providers.dueOperations = (scope) => {
    const { run } = dueOperations(scope) as DueOperations;
    return {
      run(entry: DueEntry, end: Action) {
        order.push(entry);
        return run(entry, end);
      },
    };
  };
  expect(await clock.run(afterOutage)).toMatchObject({ woken: 50 });
  product.providers.dueOperations = dueOperations;
  for (const part of Map.groupBy(order, ({ group }) => duePart(group)).values()) {
    const times = part.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
  }
  expect(await clock.run(afterOutage)).not.toHaveProperty('woken');
  await stream.settle();
  await runs.deliverAll(afterOutage);
  await Promise.all(woken.map((runId) => runs.advance(runId, afterOutage)));
  const all = await Promise.all(started.map((runId) => runs.run(runId)));
  expect(all.every((run) => run?.status === 'finished' && run.steps === 4)).toBe(true);
});
