import type { IncomingMessage } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { startQueueServer } from '../../infra/local/queues/queue-server.ts';
import { openQueueStore } from '../../infra/local/queues/queue-store.ts';
import { noDeadline } from '../../shared/kernel/deadline.ts';
import { bucketFrom } from '../../shared/ports/aws/s3-bucket.ts';
import { objectRequests } from '../../shared/ports/aws/s3-requests.ts';
import { provideGivenUp } from '../../shared/ports/given-up.ts';
import { unhurried } from '../harness/eventually.ts';
import { invocationScope, testObjects } from '../harness/objects.ts';
import { answering, failingStore, type StoreFault } from '../objects/failing-store.ts';

const objects = testObjects();
const store = openQueueStore(undefined);
const plan = { isOrdered: false, delay: 0, retention: 1e9, visibilityTimeout: 30_000, maxBytes: 1_000 };
store.define([
  { ...plan, name: 'kept', redrive: { deadLetters: 'dead', maxReceives: 1 } },
  { ...plan, name: 'dead', redrive: undefined },
]);
const queues = await startQueueServer(store, { accessKeyId: 'local', secretAccessKey: 'local' });
afterAll(async () => {
  await queues.stop();
  store.close();
  await objects.stop();
});

const { BUCKET_NAME: bucket, ...own } = await objects.environment();
const environment = {
  ...own,
  AWS_ENDPOINT_URL_SQS: queues.endpoint,
  DEFERRED_REQUESTS_URL: 'https://sqs.local/000000000000/kept',
  DEAD_REQUESTS_URL: 'https://sqs.local/000000000000/dead',
  FAILED_BATCHES_ARN: `arn:aws:s3:::${bucket}`,
};
const givenUp = provideGivenUp(environment, unhurried)(invocationScope('acme'));
const requests = objectRequests(bucketFrom({ ...own, BUCKET_NAME: bucket }))({ deadline: noDeadline });
const textAt = async (key: string) => Buffer.from((await requests.read(key))?.bytes ?? []).toString();

test('Every dead letter is listed once; one that is put back is in its queue, and one that is dropped is nowhere', async () => {
  const bodies = Array.from({ length: 25 }, (_, index) => `message ${index}`);
  for (const body of bodies) {
    store.send('dead', { body, group: undefined, delay: undefined });
  }
  const told: string[] = [];
  for await (const { body, tryAgain, drop } of givenUp.requests()) {
    told.push(body);
    if (body === 'message 7') {
      await tryAgain();
    } else if (body === 'message 8') {
      await drop();
    }
  }
  expect(told.sort()).toEqual([...bodies].sort());
  expect(store.receive('kept', { most: 10, visibilityTimeout: undefined }).map(({ body }) => body)).toEqual([
    'message 7',
  ]);
  // The others are only hidden for a moment.
  const { visible, inFlight } = store.counts('dead');
  expect(visible + inFlight).toBe(23);
});

test('Failed batches are read, replaced and deleted, and nothing else in the bucket is', async () => {
  const put = (key: string, text: string) => requests.put(key, Buffer.from(text), {});
  await put('aws/lambda/mapping/shard/2026/11/23/a', 'first');
  await put('aws/lambda/mapping/shard/2026/11/23/b', 'second');
  await put('aws/lambda/mapping/shard/2026/11/23/c', 'third');
  await put('files/another', 'another');
  const texts = async () => {
    const all: string[] = [];
    for await (const { text } of givenUp.batches()) {
      all.push(text);
    }
    return all.sort();
  };
  expect(await texts()).toEqual(['first', 'second', 'third']);
  for await (const { text, replace } of givenUp.batches()) {
    await (text === 'first' ? replace('shorter') : text === 'second' ? replace(undefined) : undefined);
  }
  expect(await texts()).toEqual(['shorter', 'third']);
  expect(await textAt('files/another')).toBe('another');
});

test('A failed batch that somebody else has changed or taken meanwhile stays as they left it', async () => {
  const [changed, taken] = ['aws/lambda/mapping/shard/2026/11/24/a', 'aws/lambda/mapping/shard/2026/11/24/b'];
  await requests.put(changed, Buffer.from('to be changed'), {});
  await requests.put(taken, Buffer.from('to be taken'), {});
  for await (const { text, replace } of givenUp.batches()) {
    if (text === 'to be changed') {
      await requests.put(changed, Buffer.from('shortest'), {});
      await replace('shorter');
    } else if (text === 'to be taken') {
      await requests.remove(taken);
      await replace('back again');
    }
  }
  expect(await textAt(changed)).toBe('shortest');
  expect(await requests.read(taken)).toBeUndefined();
});

/** A failed batch whose replacement meets this fault. */
async function batchBehind(fault: StoreFault) {
  const key = 'aws/lambda/mapping/shard/2026/11/25/a';
  await requests.put(key, Buffer.from('to be shortened'), {});
  const isReplacement = ({ method, url = '' }: IncomingMessage) => method === 'PUT' && url.includes(key);
  let isOver = false;
  const once: StoreFault = (incoming, response, next) => {
    if (isOver || !isReplacement(incoming)) {
      return next();
    }
    isOver = true;
    fault(incoming, response, next);
  };
  const { environment: failing } = await failingStore(objects, Array(50).fill(once));
  const all = provideGivenUp(
    { ...environment, AWS_ENDPOINT_URL_S3: failing.AWS_ENDPOINT_URL_S3 },
    unhurried,
  )(invocationScope('acme'));
  return {
    async shorten() {
      for await (const { text, replace } of all.batches()) {
        await (text === 'to be shortened' ? replace('shortened') : undefined);
      }
    },
    text: () => textAt(key),
  };
}

test('When the store denies the replacement of a failed batch, nobody takes it for replaced', async () => {
  const { shorten, text } = await batchBehind(answering(403, 'AccessDenied'));
  await expect(shorten()).rejects.toMatchObject({ name: 'AccessDenied' });
  expect(await text()).toBe('to be shortened');
});

test('A failed batch that the store cannot replace because somebody else writes it at that moment is replaced by another run', async () => {
  const { shorten, text } = await batchBehind(answering(409, 'ConditionalRequestConflict'));
  await expect(shorten()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await shorten();
  expect(await text()).toBe('shortened');
});
