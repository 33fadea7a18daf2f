import { expect, test } from 'vitest';
import type { WireRecord } from '../../infra/local/stream/stream-records.ts';
import type { StreamPage, StreamRequests } from '../../infra/local/stream/stream-requests.ts';
import { TableStream } from '../../infra/local/stream/table-stream.ts';

/** No test lasts as long. */
const never = 3_600_000;

interface Scripted {
  stream: TableStream;
  /** The iterators of the pages that were requested, in order. */
  requested: string[];
  /** Ends the oldest request under way with so many records. */
  answer(records: number, next?: string, isLast?: boolean): void;
  refuse(): void;
  /** How often the shards were looked up. */
  lookUps(): number;
}

/** A stream whose pages come when the test says so. */
function scripted(readers: number, shards: string[][] = [['a']]): Scripted {
  const requested: string[] = [];
  const waiting: PromiseWithResolvers<StreamPage>[] = [];
  let lookUps = 0;
  const requests: StreamRequests = {
    streamArns: async () => ['stream'],
    async shards() {
      lookUps += 1;
      return (shards[lookUps - 1] ?? shards.at(-1) ?? []).map((ShardId) => ({ ShardId }));
    },
    iterator: async () => '0',
    page(iterator) {
      requested.push(iterator);
      const page = Promise.withResolvers<StreamPage>();
      waiting.push(page);
      return page.promise;
    },
    close: () => undefined,
  };
  const stream = new TableStream(requests, 'table', never);
  for (let reader = 0; reader < readers; reader += 1) {
    stream.join();
  }
  const record = { dynamodb: { SequenceNumber: '1', ApproximateCreationDateTime: 0 } } as WireRecord;
  return {
    stream,
    requested,
    answer: (count, next = 'next', isLast = true) =>
      waiting.shift()?.resolve({ records: Array.from({ length: count }, () => record), next, isLast }),
    refuse: () => waiting.shift()?.reject(new Error('The database has no time')),
    lookUps: () => lookUps,
  };
}

test('A page is requested once for readers that have come equally far, at the same time or one after the other', async () => {
  const { stream, requested, answer } = scripted(3);
  const [first, second] = [stream.page('0'), stream.page('0')];
  answer(2);
  expect(await second).toBe(await first);
  expect(await stream.page('0')).toBe(await first);
  expect(requested).toEqual(['0']);
  stream.close();
});

test('A page that every reader has is not kept', async () => {
  const { stream, requested, answer } = scripted(2);
  const pages = [stream.page('0'), stream.page('0')];
  answer(1);
  await Promise.all(pages);
  void stream.page('0');
  expect(requested).toEqual(['0', '0']);
  stream.close();
});

test('A reader that is far behind requests its own pages, and keeps no more than two of the others', async () => {
  const { stream, requested, answer } = scripted(2);
  for (const iterator of ['0', '1', '2', '3']) {
    const page = stream.page(iterator);
    answer(1);
    await page;
  }
  void stream.page('0');
  void stream.page('3');
  expect(requested).toEqual(['0', '1', '2', '3', '0']);
  stream.close();
});

test('A page that came back empty is requested anew', async () => {
  const { stream, requested, answer } = scripted(2);
  const empty = stream.page('0');
  answer(0, '0');
  expect((await empty).records).toEqual([]);
  const later = stream.page('0');
  answer(1);
  expect((await later).records).toHaveLength(1);
  expect(requested).toEqual(['0', '0']);
  stream.close();
});

test('A reader that asks after an announcement gets no empty page of before', async () => {
  const { stream, requested, answer } = scripted(2);
  const before = stream.page('0');
  stream.announce();
  const after = stream.page('0');
  answer(0, '0');
  expect((await before).records).toEqual([]);
  await expect.poll(() => requested).toEqual(['0', '0']);
  answer(1);
  expect((await after).records).toHaveLength(1);
  stream.close();
});

test('Readers that ask at once share an empty page, too', async () => {
  const { stream, requested, answer } = scripted(2);
  const pages = [stream.page('0'), stream.page('0')];
  answer(0, '0');
  const [first, second] = await Promise.all(pages);
  expect(first).toBe(second);
  expect(requested).toEqual(['0']);
  stream.close();
});

test('A reader that asks after an announcement gets no last page of before, but any other', async () => {
  const { stream, requested, answer } = scripted(3);
  const [last, other] = [stream.page('0'), stream.page('1')];
  answer(1);
  answer(1, 'next', false);
  await Promise.all([last, other]);
  stream.announce();
  const later = stream.page('0');
  expect(await stream.page('1')).toBe(await other);
  await expect.poll(() => requested).toEqual(['0', '1', '0']);
  answer(2);
  expect((await later).records).toHaveLength(2);
  expect(await stream.page('0')).toBe(await later);
  expect(requested).toEqual(['0', '1', '0']);
  stream.close();
});

test('A page that could not be had is requested anew', async () => {
  const { stream, requested, answer, refuse } = scripted(3);
  const refused = [stream.page('0'), stream.page('0')];
  refuse();
  for (const page of refused) {
    await expect(page).rejects.toThrow('The database has no time');
  }
  const page = stream.page('0');
  answer(1);
  expect((await page).records).toHaveLength(1);
  expect(requested).toEqual(['0', '0']);
  stream.close();
});

test('The shards are looked up once for all, and again only for a reader to whom they are no news', async () => {
  const { stream, lookUps } = scripted(2, [['a'], ['a', 'b']]);
  const [first, second] = await Promise.all([stream.shards(), stream.shards()]);
  expect(second).toBe(first);
  expect(await stream.shards()).toBe(first);
  expect(lookUps()).toBe(1);

  const [third, fourth] = await Promise.all([stream.shards(first), stream.shards(second)]);
  expect(third.map(({ ShardId }) => ShardId)).toEqual(['a', 'b']);
  expect(fourth).toBe(third);
  expect(await stream.shards(first)).toBe(third);
  expect(lookUps()).toBe(2);
  stream.close();
});
