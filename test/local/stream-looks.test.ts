import { expect, test } from 'vitest';
import type { StreamRequests } from '../../infra/local/stream/stream-requests.ts';
import { eventually } from '../harness/eventually.ts';
import { mapping, setUpStreams } from './stream-reading.ts';

const { newTable, reading } = await setUpStreams();

/** No test lasts as long. */
const never = 3_600_000;

/** A stream with one record to begin with, to which the test adds others; and the pages that were requested of it, in order. */
function growing() {
  const requested: string[] = [];
  let count = 1;
  const streams: StreamRequests = {
    shards: async () => [{ streamArn: 'stream', ShardId: 'shard' }],
    iterator: async () => '0',
    async page(iterator) {
      requested.push(iterator);
      const records = Array.from({ length: count - Number(iterator) }, (_, index) => ({
        eventName: 'INSERT',
        dynamodb: {
          SequenceNumber: String(Number(iterator) + index + 1),
          ApproximateCreationDateTime: 0,
        },
      }));
      return { records, next: String(count), isLast: true };
    },
    close: () => undefined,
  };
  return {
    streams,
    requested,
    add() {
      count += 1;
    },
  };
}

test('After the last record a reader asks for nothing until something is announced', async () => {
  const table = await newTable();
  const { streams, requested, add } = growing();
  const { sources, got } = await reading([mapping(table, 'a')], { streams, idleMilliseconds: never });
  await eventually(() => got('a').length === 1);
  add();
  sources.nudge();
  await eventually(() => got('a').length === 2);
  expect(requested).toEqual(['0', '1']);
});

test('What is announced while a function has the last records is found without another announcement', async () => {
  const table = await newTable();
  const { streams, add } = growing();
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const handlers = {
    async a() {
      begun.resolve();
      await held.promise;
    },
  };
  const { sources, got } = await reading([mapping(table, 'a')], {
    streams,
    handlers,
    idleMilliseconds: never,
  });
  await begun.promise;
  add();
  sources.nudge();
  held.resolve();
  await eventually(() => got('a').length === 2);
});

test('If that is set, records gather before a function gets them', async () => {
  const table = await newTable();
  const { streams, requested, add } = growing();
  const options = { streams, gatherMilliseconds: never, idleMilliseconds: never };
  const { sources, got } = await reading([mapping(table, 'a')], options);
  await eventually(() => got('a').length === 1);
  for (let count = 2; count <= 6; count += 1) {
    add();
    sources.nudge();
  }
  await new Promise(setImmediate);
  expect(requested).toEqual(['0']);
});
