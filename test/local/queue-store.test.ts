import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { QueuePlan } from '../../infra/local/queues/queue.ts';
import { QueueSource } from '../../infra/local/queues/queue-source.ts';
import { openQueueStore } from '../../infra/local/queues/queue-store.ts';
import { eventually } from '../harness/eventually.ts';

const directory = await mkdtemp(join(tmpdir(), 'queues-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

const jobs: QueuePlan = {
  name: 'jobs',
  isOrdered: false,
  delay: 0,
  retention: 1_000_000,
  visibilityTimeout: 30_000,
  maxBytes: 1_000,
  redrive: { deadLetters: 'dead', maxReceives: 3 },
};
const dead: QueuePlan = { ...jobs, name: 'dead', redrive: undefined };

const events: QueuePlan = { ...jobs, name: 'events', isOrdered: true };

/** A store whose clock a test sets forward. */
function opened(file?: string) {
  let now = 1_000_000;
  const store = openQueueStore(file, () => now);
  store.define([jobs, dead, events]);
  return {
    store,
    pass(milliseconds: number) {
      now += milliseconds;
    },
    bodies: (most = 10) => store.receive('jobs', { most }).map(({ body }) => body),
  };
}

test('A queue hides a message that was received until its visibility timeout is over, and counts how often it was', () => {
  const { store, pass } = opened();
  const id = store.send('jobs', { body: 'one' });
  const [first] = store.receive('jobs', { most: 10 });
  expect(first).toMatchObject({
    id,
    body: 'one',
    receives: 1,
    sentAt: 1_000_000,
    firstReceivedAt: 1_000_000,
  });
  expect(store.receive('jobs', { most: 10 })).toEqual([]);
  expect(store.counts('jobs')).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
  expect(store.nextVisible('jobs')).toBe(1_030_000);
  pass(30_000);
  expect(store.receive('jobs', { most: 10 })).toMatchObject([
    { id, receives: 2, sentAt: 1_000_000, firstReceivedAt: 1_000_000 },
  ]);
});

test('A queue forgets a message that was deleted, but not by a receipt that is no longer the latest', () => {
  const { store, pass, bodies } = opened();
  store.send('jobs', { body: 'one' });
  const [first] = store.receive('jobs', { most: 1 });
  pass(30_000);
  const [second] = store.receive('jobs', { most: 1 });
  store.delete('jobs', first?.receipt ?? '');
  pass(30_000);
  expect(bodies()).toEqual(['one']);
  store.delete('jobs', second?.receipt ?? '');
  pass(30_000);
  const [last] = store.receive('jobs', { most: 1 });
  store.delete('jobs', last?.receipt ?? '');
  expect(store.counts('jobs')).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
});

test('A queue keeps a delayed message back for so long', () => {
  const { store, pass, bodies } = opened();
  store.send('jobs', { body: 'later', delay: 60_000 });
  store.send('jobs', { body: 'now' });
  expect(bodies()).toEqual(['now']);
  expect(store.counts('jobs')).toEqual({ visible: 0, inFlight: 1, delayed: 1 });
  pass(59_999);
  expect(bodies()).toEqual(['now']);
  pass(1);
  expect(bodies()).toEqual(['later']);
});

test('A queue hands a message to the dead-letter queue that was received as often as it may be', () => {
  const { store, pass, bodies } = opened();
  store.send('jobs', { body: 'bad' });
  for (let receive = 1; receive <= 3; receive += 1) {
    expect(bodies()).toEqual(['bad']);
    pass(30_000);
  }
  store.send('jobs', { body: 'good' });
  expect(bodies(1)).toEqual(['good']);
  expect(store.counts('dead')).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
});

test('A queue forgets a message that is older than it keeps any', () => {
  const { store, pass, bodies } = opened();
  store.send('jobs', { body: 'old' });
  pass(1_000_001);
  expect(bodies()).toEqual([]);
});

test('A queue lets a message be received again at once, or later, when its visibility is changed', () => {
  const { store, pass, bodies } = opened();
  store.send('jobs', { body: 'one' });
  const [{ receipt } = { receipt: '' }] = store.receive('jobs', { most: 1 });
  expect(store.changeVisibility('jobs', receipt, 90_000)).toBe(true);
  pass(60_000);
  expect(bodies()).toEqual([]);
  expect(store.changeVisibility('jobs', receipt, 0)).toBe(true);
  expect(bodies()).toEqual(['one']);
  expect(store.changeVisibility('jobs', receipt, 0)).toBe(false);
});

test('A queue keeps its messages in its file, and those that were being handled can be received at once', () => {
  const file = join(directory, 'kept.sqlite');
  const before = opened(file);
  before.store.send('jobs', { body: 'handled' });
  before.bodies();
  before.store.send('jobs', { body: 'waiting', group: 'a' });
  before.store.send('jobs', { body: 'delayed', delay: 60_000 });
  before.store.close();
  const after = opened(file);
  const received = after.store.receive('jobs', { most: 10 });
  expect(received.map(({ body, receives }) => [body, receives]).sort()).toEqual([
    ['handled', 2],
    ['waiting', 1],
  ]);
  after.pass(60_000);
  expect(after.bodies().sort()).toEqual(['delayed', 'handled', 'waiting']);
  after.store.close();
});

test('A queue refuses a file that is none of its own', async () => {
  const file = join(directory, 'other.sqlite');
  await writeFile(file, 'no database at all, and long enough to be taken for one');
  expect(() => openQueueStore(file)).toThrow(file);
});

test('An ordered queue hands out the messages of one group in their order, and no later ones until those are handled', () => {
  const { store, pass } = opened();
  const bodies = (most = 2) => store.receive('events', { most }).map(({ body }) => body);
  for (const body of ['a1', 'a2', 'a3', 'b1']) {
    store.send('events', { body, group: body.charAt(0) });
  }
  const first = store.receive('events', { most: 2 });
  expect(first.map(({ body }) => body)).toEqual(['a1', 'a2']);
  expect(bodies()).toEqual(['b1']);
  expect(bodies()).toEqual([]);
  expect(store.nextVisible('events')).toBe(1_030_000);
  for (const { receipt } of first) {
    store.delete('events', receipt);
  }
  expect(store.nextVisible('events')).toBe(1_000_000);
  expect(bodies()).toEqual(['a3']);
  store.send('events', { body: 'a4', group: 'a' });
  expect(bodies()).toEqual([]);
  pass(30_000);
  expect([bodies(), bodies()].sort()).toEqual([['a3', 'a4'], ['b1']]);
});

const mapping = {
  id: 'mapping',
  queue: 'jobs',
  queueArn: 'arn:aws:sqs:us-east-1:000000000000:jobs',
  functionName: 'take',
  batchSize: 1,
  window: 0,
  reportsFailures: false,
  maxBatches: 2,
};

test('A message is handed out once while its function has it or is still to begin, however long that takes', async () => {
  const store = openQueueStore(undefined);
  const brief = { ...jobs, visibilityTimeout: 100, redrive: { deadLetters: 'dead', maxReceives: 2 } };
  store.define([brief, dead]);
  const taken: string[] = [];
  const first = Promise.withResolvers<void>();
  const source = new QueueSource({
    store,
    mapping,
    async invoke(event) {
      const [record] = (event as { Records: { body: string }[] }).Records;
      taken.push(record?.body ?? '');
      if (record?.body === 'first') {
        await first.promise;
      }
    },
    log: () => undefined,
  });
  onTestFinished(async () => {
    await source.stop();
    store.close();
  });
  store.send('jobs', { body: 'first' });
  store.send('jobs', { body: 'later', delay: 350 });
  await eventually(() => taken.includes('later'));
  expect(taken).toEqual(['first', 'later']);
  first.resolve();
  await eventually(() => Object.values(store.counts('jobs')).every((count) => count === 0));
  expect(store.counts('dead')).toMatchObject({ visible: 0 });
});

test('Groups of which seven wait for addresses that never answer do not delay another one', async () => {
  const store = openQueueStore(undefined);
  store.define([{ ...jobs, isOrdered: true }, dead]);
  const last = Promise.withResolvers<void>();
  const silent = Promise.withResolvers<void>();
  const source = new QueueSource({
    store,
    mapping: { ...mapping, maxBatches: 100 },
    waitsOutside: true,
    async invoke(event) {
      const [record] = (event as { Records: { body: string }[] }).Records;
      await (record?.body === 'good' ? last.resolve() : silent.promise);
    },
    log: () => undefined,
  });
  onTestFinished(async () => {
    silent.resolve();
    await source.stop();
    store.close();
  });
  for (let group = 0; group < 7; group += 1) {
    store.send('jobs', { body: 'silent', group: String(group) });
  }
  store.send('jobs', { body: 'good', group: 'good' });
  await last.promise;
});
