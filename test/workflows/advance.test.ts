import { expect, test } from 'vitest';
import { advanceRun } from '../../functions/workflows/model/runs/advance-run.ts';
import { after, day, minute, timestamp } from '../../shared/kernel/time.ts';
import { clockClient } from '../harness/clock.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { inARow, prepareRuns } from './advancing.ts';
import { runsClient } from './runs-client.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const runs = await prepareRuns(tenants);
const clock = clockClient(product);
const stream = await tableStream(product);
const client = runsClient(product, rep);

const notesOf = async (contactId: string) =>
  (await product.call('list-notes', { token: rep.token, query: { contactId } })).body.data;

test('A run adds tags, waits a day and writes a note, each once, and records what it did', async () => {
  const { _id: contactId } = await tenants.newContact({ firstName: 'Ada' });
  const workflow = await runs.newWorkflow(
    inARow([
      { type: 'addTags', data: { tags: ['new'] } },
      { type: 'delay', data: { value: 1, unit: 'days' } },
      { type: 'addNote', data: { note: 'Call {{firstName}}' } },
    ]),
  );
  const start = new Date();
  const runId = await runs.start(workflow, contactId, { at: start });
  await stream.settle();
  await runs.deliverAll(start);

  const until = timestamp(after(start, day));
  const waiting = (await client.read(runId)).body.data;
  expect(waiting).toMatchObject({
    status: 'waiting',
    steps: [
      { nodeId: 'trigger', status: 'passed' },
      { nodeId: 'n1', status: 'passed' },
      { nodeId: 'n2', status: 'waiting', until },
    ],
  });
  const contact = await product.call('read-contact', { token: rep.token, path: { id: contactId } });
  expect(contact.body.data?.tags ?? contact.body.tags).toEqual(['new']);
  expect(await notesOf(contactId)).toEqual([]);

  const later = after(start, day + minute);
  expect(await clock.run(later)).toMatchObject({ woken: 1 });
  expect(await clock.run(later)).not.toHaveProperty('woken');
  await stream.settle();
  await runs.deliverAll(later);
  const [note, ...others] = await notesOf(contactId);
  expect(others).toEqual([]);
  expect(note.note).toBe('Call Ada');
  expect((await client.read(runId)).body.data).toMatchObject({
    status: 'finished',
    steps: [
      ...[{ nodeId: 'trigger' }, { nodeId: 'n1' }, { nodeId: 'n2' }],
      { nodeId: 'n2', status: 'passed' },
      { nodeId: 'n3', status: 'passed', noteId: note._id },
    ],
    finishedAt: timestamp(later),
  });
  expect(await clock.waitingUntil(after(start, 400 * day))).toEqual([]);
});

test('A turn takes a step however long that takes, and none once its time is over', async () => {
  const { _id: contactId } = await tenants.newContact();
  const workflow = await runs.newWorkflow(
    inARow([
      { type: 'condition', data: { rules: [] } },
      { type: 'condition', data: { rules: [] } },
    ]),
  );
  const runId = await runs.start(workflow, contactId);
  const turn = (time: number) => advanceRun(runs.contextAt(new Date()), runId, { steps: 25, time });
  expect(await turn(Number.MIN_VALUE)).toMatchObject({ isLeft: true, stepRecords: [{ nodeId: 'trigger' }] });
  expect(await turn(0)).toMatchObject({ isLeft: true, stepRecords: [] });
  expect(await turn(minute)).toMatchObject({
    isLeft: false,
    stepRecords: [{ nodeId: 'n1' }, { nodeId: 'n2' }],
  });
});

test('Those who see the workflow get an event when a run starts, waits, finishes, fails and is cancelled, and none in between', async () => {
  const told = async (contactId: string) =>
    (await readEvents(product, rep.organizationId))
      .filter(({ event, data }) => event === 'workflow_run_updated' && data.contactId === contactId)
      .map(({ data, audience }) => [data.status, audience]);
  const audience = { kind: 'record', people: [rep.userId] };
  const delay = { type: 'delay', data: { value: 1, unit: 'days' } };
  const start = new Date();
  const newRun = async (nodes: Parameters<typeof inARow>[0]) => {
    const { _id: contactId } = await tenants.newContact();
    const runId = await runs.start(await runs.newWorkflow(inARow(nodes)), contactId, { at: start });
    await runs.advance(runId, start);
    return { contactId, runId };
  };
  const tags = { type: 'addTags', data: { tags: ['new'] } };
  const [finished, failed, cancelled] = [
    await newRun([tags, delay, tags, tags]),
    await newRun([tags, { type: 'addNote', data: { note: '{{event.nothing}}' } }]),
    await newRun([delay]),
  ];
  await runs.advance(finished.runId, after(start, day));
  await client.cancel(cancelled.runId);
  const statuses = async ({ contactId }: typeof finished) =>
    (await told(contactId)).map(([status]) => status);
  expect(await told(finished.contactId)).toEqual([
    ['running', audience],
    ['waiting', audience],
    ['finished', audience],
  ]);
  expect([await statuses(failed), await statuses(cancelled)]).toEqual([
    ['running', 'failed'],
    ['running', 'waiting', 'cancelled'],
  ]);
});
