import { expect, onTestFinished, test } from 'vitest';
import { QueueSource } from '../../infra/local/queues/queue-source.ts';
import { openQueueStore } from '../../infra/local/queues/queue-store.ts';
import { eventually } from '../harness/eventually.ts';

const queue = 'jobs';
const mapping = {
  id: 'mapping',
  queue,
  queueArn: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
  functionName: 'take',
  batchSize: 1,
  window: 0,
  reportsFailures: false,
  maxBatches: 2,
};

test('A message is handed out once while its function has it or is still to begin, however long that takes', async () => {
  const store = openQueueStore(undefined);
  const redrive = { deadLetters: 'dead', maxReceives: 2 };
  const plan = {
    isOrdered: false,
    delay: 0,
    retention: 1e9,
    visibilityTimeout: 100,
    maxBytes: 1_000,
    redrive: undefined,
  };
  store.define([
    { ...plan, name: queue, redrive },
    { ...plan, name: 'dead' },
  ]);
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
  store.send(queue, { body: 'first', group: undefined, delay: undefined });
  store.send(queue, { body: 'later', group: undefined, delay: 350 });
  await eventually(() => taken.includes('later'));
  expect(taken).toEqual(['first', 'later']);
  first.resolve();
  await eventually(() => Object.values(store.counts(queue)).every((count) => count === 0));
  expect(store.counts('dead')).toMatchObject({ visible: 0 });
});
