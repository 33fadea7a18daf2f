import { afterEach, expect, test } from 'vitest';
import handOverWorkflowRuns from '../../functions/workflows/hand-over-workflow-runs.ts';
import { enrollmentKey } from '../../functions/workflows/model/runs/enrollment.ts';
import { type ReadyRun, type Run, readyRunKey } from '../../functions/workflows/model/runs/run.ts';
import { duePart } from '../../shared/events/due-entry.ts';
import type { MessageQueue } from '../../shared/kernel/message-queue.ts';
import { type Providers, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import { after, day, minute, second, timestamp } from '../../shared/kernel/time.ts';
import { unavailable } from '../../shared/kernel/transient-errors.ts';
import { joined } from '../../shared/table/key.ts';
import { organizationSpace } from '../../shared/table/spaces.ts';
import { clockClient } from '../harness/clock.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { deliver, inARow, prepareRuns } from './advancing.ts';
import { endedAfter, withEveryFault } from './request-faults.ts';
import { prepareStarts, type StreamRecord, trigger } from './starting.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const { organizationId } = rep;
const faulty = setUpFaultyTable();
afterEach(() => faulty.clear());
const runs = await prepareRuns(tenants);
const starts = await prepareStarts(tenants);
const clock = clockClient(product);
const queue = product.queues.workflowRuns;

const same = (found: unknown, expected: unknown, when: string) => expect(found, when).toEqual(expected);

/** A workflow whose runs wait for a tag, and one that the tag starts. */
async function followersOf(tag: string) {
  const filter = [{ field: 'event.tag', operator: 'equals', value: tag }];
  const waiting = await runs.newWorkflow(
    inARow([
      {
        type: 'waitForEvent',
        data: { event: 'contact.tag_added', filter, timeout: { value: 3, unit: 'days' } },
      },
    ]),
  );
  const started = await starts.newWorkflow({
    nodes: [trigger('contact.tag_added', { filter })],
    // So many that none of them has to wait.
    settings: { rate: { value: 1e6, unit: 'second' } },
  });
  return { waiting, started };
}

test('An event starts its run and ends the wait for it once, whatever happens to any request of the function', async () => {
  const { waiting, started } = await followersOf('vip');
  await withEveryFault(faulty, {
    async begin() {
      const since = new Date();
      const { _id: contactId } = await tenants.newContact();
      await runs.advance(await runs.start(waiting, contactId));
      await starts.deliver(await starts.newRecords(since));
      const body = { tags: ['vip'] };
      await arrange(product.call('update-contact', { token: rep.token, path: { id: contactId }, body }));
      return { contactId, since, records: await starts.newRecords(since) };
    },
    work: ({ records }) => starts.deliver(records),
    async outcome({ contactId, since }) {
      const rows = await runs.table.list({ partition: ['CONTACT', contactId] });
      const all = await starts.runs(contactId);
      const events = (await starts.newRecords(since)).map(({ dynamodb }) =>
        JSON.parse(dynamodb?.NewImage?.data?.S ?? '{}'),
      );
      const enrollment = await runs.table.read(enrollmentKey(contactId, started._id));
      return {
        rows: rows.map(({ key }) => key.sort[0]).sort(),
        runs: all.map(({ workflowId, status, tokens }: Run) => [
          workflowId,
          status,
          tokens.map(({ nodeId, wait }) => [nodeId, wait?.ended]),
        ]),
        told: events.map(({ event, data }) => [event, data.status, data.workflowId === started._id]),
        running: enrollment?.attributes?.running,
        starts: String(enrollment?.attributes?.lastStarts).split(' ').length,
      };
    },
    sameOutcome: same,
  });
});

/** How the stream tells of the row that makes a run go on. */
async function readyRecord(runId: string): Promise<StreamRecord> {
  const key = readyRunKey(runId);
  const ready: ReadyRun | undefined = (await runs.table.read(key))?.data;
  return {
    eventName: 'INSERT',
    dynamodb: {
      Keys: {
        pk: { S: joined([...organizationSpace(organizationId), ...key.partition]) },
        sk: { S: joined(key.sort) },
      },
      NewImage: { data: { S: JSON.stringify(ready) } },
    },
  };
}

/** Tells the function that hands runs over, which sends to this queue. */
async function handOver(runId: string, to: MessageQueue = queue): Promise<void> {
  const providers: Providers = { ...product.providers, queue: () => to };
  const served = [{ name: 'hand-over-workflow-runs', operation: handOverWorkflowRuns, providers }];
  const runtime = { ...systemRuntime, log: () => undefined };
  const { batchItemFailures } = await serveStream(served, runtime)({ Records: [await readyRecord(runId)] });
  if (batchItemFailures.length > 0) {
    throw new Error('Not all runs were handed over');
  }
}

test('The clock wakes a run whose wait is over, whatever happens to whichever of its requests, and the run then ends once', async () => {
  const workflow = await runs.newWorkflow(
    inARow([
      { type: 'delay', data: { value: 1, unit: 'days' } },
      { type: 'addNote', data: { note: 'Call' } },
    ]),
  );
  await withEveryFault(faulty, {
    async begin() {
      const { _id: contactId } = await tenants.newContact();
      const start = new Date();
      const runId = await runs.start(workflow, contactId, { at: start });
      await runs.advance(runId, start);
      await runs.table.deleteMany([readyRunKey(runId)]);
      return { contactId, runId, due: after(start, day) };
    },
    // What failed is postponed for half a minute.
    async work({ contactId, due }) {
      await clock.run(due, [Number(duePart(contactId))]);
      faulty.clear();
      await clock.run(after(due, minute), [Number(duePart(contactId))]);
    },
    async outcome({ contactId, runId, due }) {
      expect((await runs.table.read(readyRunKey(runId)))?.data).toMatchObject({ dueAt: timestamp(due) });
      await handOver(runId);
      await runs.deliverAll(due);
      const waiting = await clock.waitingUntil(after(due, day));
      const rows = await runs.table.list({ partition: ['CONTACT', contactId] });
      const stepRecords = await runs.stepRecords(runId);
      return {
        rows: rows.map(({ key }) => key.sort[0]).sort(),
        steps: stepRecords.map(({ nodeId, status }) => [nodeId, status]),
        status: (await runs.run(runId))?.status,
        due: waiting.filter(({ id }) => id === runId),
      };
    },
    sameOutcome: same,
  });
});

test('A run goes on after its wait also on a machine whose clock is behind that of the one that woke it', async () => {
  const workflow = await runs.newWorkflow(inARow([{ type: 'delay', data: { value: 1, unit: 'days' } }]));
  const { _id: contactId } = await tenants.newContact();
  const start = new Date();
  const runId = await runs.start(workflow, contactId, { at: start });
  await runs.advance(runId, start);
  const due = after(start, day);
  await clock.run(due);
  await handOver(runId);
  await runs.deliverAll(after(due, -second));
  expect(await runs.run(runId)).toMatchObject({ status: 'finished', finishedAt: timestamp(due) });
  expect((await clock.waitingUntil(after(due, day))).filter(({ id }) => id === runId)).toEqual([]);
});

/** What a queue does with a message, in place of taking it. */
const sends: Readonly<Record<string, (send: () => Promise<void>) => Promise<void>>> = {
  'refuses it': async () => {
    throw unavailable(new Error('Throttled'));
  },
  'takes it, but the reply is lost': async (send) => {
    await send();
    throw unavailable(new Error('socket hang up'));
  },
  'takes it, and the process ends': async (send) => {
    await endedAfter(send);
  },
};

/** The queue, which does this with the first message that it gets. */
function onceFaulty(fault: (send: () => Promise<void>) => Promise<void>): MessageQueue {
  let isFirst = true;
  return {
    send(body, options) {
      const send = () => queue.send(body, options);
      if (!isFirst) {
        return send();
      }
      isFirst = false;
      return fault(send);
    },
  };
}

/** More steps than one turn has. */
const many = inARow([
  ...Array.from({ length: 30 }, () => ({ type: 'condition', data: { rules: [] } })),
  { type: 'addNote', data: { note: 'Call' } },
]);

for (const [name, fault] of Object.entries(sends)) {
  test(`A run is handed over, and over again after each turn, if the queue ${name}`, async () => {
    const workflow = await runs.newWorkflow(many);
    const { _id: contactId } = await tenants.newContact();
    const runId = await runs.start(workflow, contactId);
    queue.take();
    await expect(handOver(runId, onceFaulty(fault))).rejects.toThrow();
    await handOver(runId);

    // The queue delivers again what the function did not take.
    const own: Providers = { ...runs.providers, queue: () => failing };
    const failing = onceFaulty(fault);
    let messages: readonly { readonly body: string }[] = queue.take();
    while (messages.length > 0) {
      const again = await deliver(messages, undefined, own);
      messages = [...again.filter((message) => message !== undefined), ...queue.take()];
    }
    const stepRecords = await runs.stepRecords(runId);
    expect(await runs.run(runId)).toMatchObject({ status: 'finished', steps: 32 });
    expect(stepRecords.map(({ n }) => n)).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
    const notes = await arrange(product.call('list-notes', { token: rep.token, query: { contactId } }));
    expect(notes.data).toHaveLength(1);
  });

  test(`A step that fails is tried again if the queue, asked for that, ${name}`, async () => {
    const workflow = await runs.newWorkflow(inARow([{ type: 'addNote', data: { note: 'Call' } }]));
    const { _id: contactId } = await tenants.newContact();
    const runId = await runs.start(workflow, contactId);
    queue.take();
    const own: Providers = { ...runs.providers, queue: () => failing };
    const failing = onceFaulty(fault);
    const body = JSON.stringify({ organizationId, runId, tries: 0 });
    faulty.always('TransactWriteItemsCommand', async () => {
      throw unavailable(new Error('Down'));
    });
    const again = await deliver([{ body }], undefined, own);
    expect(again).toHaveLength(1);
    faulty.clear();
    const messages = [{ body }, ...queue.take()];
    await deliver(messages, undefined, runs.providers);
    expect(await runs.run(runId)).toMatchObject({ status: 'finished', steps: 2 });
    const notes = await arrange(product.call('list-notes', { token: rep.token, query: { contactId } }));
    expect(notes.data).toHaveLength(1);
  });
}
