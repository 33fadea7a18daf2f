import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StreamRecord } from '../../infra/local/stream/stream-records.ts';
import type { StreamRequests } from '../../infra/local/stream/stream-requests.ts';
import { eventually } from '../harness/eventually.ts';
import { mapping, numbers, setUpStreams } from './stream-reading.ts';

const { directory, newTable, put, reading } = await setUpStreams();

test('A change comes with everything in it as Lambda has it, binary in base64', async () => {
  const table = await newTable();
  const seen: StreamRecord[] = [];
  await reading([mapping(table, 'a')], { handlers: { a: (all) => void seen.push(...all) } });
  const bytes = new Uint8Array([0, 255, 128]);
  await put(table, 'all', {
    b: { B: bytes },
    bs: { BS: [bytes] },
    n: { N: '1.5' },
    ss: { SS: ['a', 'b'] },
    deep: { M: { list: { L: [{ B: bytes }, { NULL: true }, { BOOL: false }, { S: '' }] } } },
  });
  await eventually(() => seen.length > 0);
  expect(seen).toEqual([
    {
      eventID: expect.any(String),
      eventName: 'INSERT',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: mapping(table, 'a').EventSourceArn,
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { pk: { S: 'all' } },
        NewImage: {
          pk: { S: 'all' },
          b: { B: 'AP+A' },
          bs: { BS: ['AP+A'] },
          n: { N: '1.5' },
          ss: { SS: ['a', 'b'] },
          deep: { M: { list: { L: [{ B: 'AP+A' }, { NULL: true }, { BOOL: false }, { S: '' }] } } },
        },
        SequenceNumber: '1',
        SizeBytes: expect.any(Number),
        StreamViewType: 'NEW_IMAGE',
      },
    },
  ]);
});

test('A reader whose function hangs holds up no other, and gets everything later, in order and once', async () => {
  const table = await newTable();
  const held = Promise.withResolvers<void>();
  const { got } = await reading([mapping(table, 'quick'), mapping(table, 'slow')], {
    handlers: { slow: () => held.promise },
  });
  for (let round = 1; round <= 4; round += 1) {
    await Promise.all(numbers(1, 200).map((n) => put(table, `${round} ${n}`)));
    await eventually(() => got('quick').length === 200 * round);
  }
  expect(got('slow')).toEqual([]);
  held.resolve();
  await eventually(() => got('slow').length === 800);
  expect(got('slow')).toEqual(numbers(1, 800));
  expect(got('quick')).toEqual(numbers(1, 800));
});

test('A reader whose function fails tries again by itself, and holds up no other', async () => {
  const table = await newTable();
  let failures = 0;
  const { got } = await reading([mapping(table, 'sound'), mapping(table, 'failing')], {
    handlers: {
      failing() {
        failures += 1;
        if (failures <= 2) {
          throw new Error('This is meant to fail');
        }
      },
    },
  });
  await put(table, 'first');
  await eventually(() => got('sound').length === 1);
  await put(table, 'second');
  await eventually(() => got('sound').length === 2);
  await eventually(() => got('failing').length === 2);
  expect(got('failing')).toEqual([1, 2]);
});

test('The shard after one that has ended is found and read, after it', async () => {
  const table = await newTable();
  let hasEnded = false;
  const record = (SequenceNumber: string) => ({
    eventName: 'INSERT',
    dynamodb: { SequenceNumber, ApproximateCreationDateTime: 0 },
  });
  const streams: StreamRequests = {
    shards: async () => [
      ...(hasEnded ? [{ streamArn: 'stream', ShardId: 'child', ParentShardId: 'parent' }] : []),
      { streamArn: 'stream', ShardId: 'parent', ParentShardId: 'gone long ago' },
    ],
    iterator: async ({ ShardId }) => `${ShardId} 0`,
    async page(iterator) {
      if (iterator === 'parent 0') {
        return { records: [record('1')], next: 'parent 1', isLast: true };
      }
      if (iterator === 'parent 1') {
        return { records: [], next: hasEnded ? undefined : 'parent 1', isLast: true };
      }
      return { records: iterator === 'child 0' ? [record('2')] : [], next: 'child 1', isLast: true };
    },
    close: () => undefined,
  };
  const file = join(directory, 'shards.json');
  const plans = [mapping(table, 'a'), mapping(table, 'b')];
  const first = await reading(plans, { streams, file });
  await eventually(() => first.got('a').length === 1 && first.got('b').length === 1);
  hasEnded = true;
  await eventually(() => first.got('a').length === 2 && first.got('b').length === 2);
  expect([first.got('a'), first.got('b')]).toEqual([
    [1, 2],
    [1, 2],
  ]);
  await first.sources.stop();
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    a: { 'stream parent': 'finished', 'stream child': { after: '2' } },
    b: { 'stream parent': 'finished', 'stream child': { after: '2' } },
  });
});

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
