import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { fileStreams } from '../../infra/local/stream/stream-file.ts';
import type { StartOfReading, StreamRequests } from '../../infra/local/stream/stream-requests.ts';
import { streamRequests } from '../../infra/local/stream/stream-requests.ts';
import type { TablePlan } from '../../infra/local/template/plan.ts';
import { eventually } from '../harness/eventually.ts';
import { credentials, mapping, numbers, setUpStreams } from './stream-reading.ts';

const { database, client, directory, path, newTable, put, fill, reading } = await setUpStreams();
const requests = streamRequests(database.endpoint, credentials);
const streams = fileStreams(path, requests);
afterAll(() => streams.close());

const horizon: StartOfReading = { ShardIteratorType: 'TRIM_HORIZON' };

/** The iterator at the beginning of a table's only shard, or elsewhere. */
async function begin(from: StreamRequests, { name }: TablePlan, start = horizon): Promise<string> {
  const [arn = ''] = await requests.streamArns(name);
  const [shard] = await requests.shards(arn);
  return (await from.iterator(arn, shard?.ShardId ?? '', start)) ?? '';
}

/** The sequence numbers of the next page, and the iterator after it. */
async function nextPage(iterator: string) {
  const { records, next = '', isLast } = await streams.page(iterator);
  return { found: records.map(({ dynamodb }) => Number(dynamodb.SequenceNumber)), next, isLast };
}

test.each(['NEW_AND_OLD_IMAGES', 'NEW_IMAGE'] as const)(
  'With %s the file has the same records as the database',
  async (view) => {
    const table = await newTable(view);
    await put(table, 'a', { bytes: { B: new Uint8Array([0, 255, 128]) }, text: { S: 'ü "語"' } });
    await put(table, 'a', { list: { L: [{ NULL: true }, { N: '1.50' }] } });
    await client.send(new DeleteItemCommand({ TableName: table.name, Key: { pk: { S: 'a' } } }));
    const expected = await requests.page(await begin(requests, table));
    const actual = await streams.page(await begin(streams, table));
    expect(actual.isLast).toBe(true);
    // Lambda names the source and the region of the stream itself.
    const common = { eventSource: 'aws:dynamodb', awsRegion: expect.any(String) };
    const records = JSON.parse(JSON.stringify(actual.records)) as object[];
    expect(expected.records).toHaveLength(3);
    expect(expected.records).toEqual(records.map((record) => ({ ...common, ...record })));
  },
);

test('A deletion by the database itself says so', async () => {
  const table = await newTable();
  fill(table, 1);
  const identity = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };
  using file = new DatabaseSync(path, { timeout: 5_000 });
  file
    .prepare('UPDATE _stream_records SET user_identity = ? WHERE table_name = ?')
    .run(JSON.stringify(identity), table.name);
  const { records } = await streams.page(await begin(streams, table));
  expect(records).toEqual([expect.objectContaining({ userIdentity: identity })]);
});

test('A reader begins at the first record, after a record, or after the last one', async () => {
  const table = await newTable();
  fill(table, 5);
  expect((await nextPage(await begin(streams, table))).found).toEqual(numbers(1, 5));
  const after: StartOfReading = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: '3' };
  expect((await nextPage(await begin(streams, table, after))).found).toEqual([4, 5]);
  const latest = await nextPage(await begin(streams, table, { ShardIteratorType: 'LATEST' }));
  expect(latest.found).toEqual([]);
  fill(table, 2);
  expect((await nextPage(latest.next)).found).toEqual([6, 7]);
});

test('Records of other tables are left out', async () => {
  const [table, other] = [await newTable(), await newTable()];
  fill(other, 3);
  fill(table, 2);
  expect((await nextPage(await begin(streams, table))).found).toEqual([1, 2]);
});

test('A page has at most 500 records, and the next one follows it without a gap', async () => {
  const table = await newTable();
  fill(table, 700);
  const first = await nextPage(await begin(streams, table));
  expect(first).toMatchObject({ found: numbers(1, 500), isLast: false });
  expect(await nextPage(first.next)).toMatchObject({ found: numbers(501, 700), isLast: true });
});

test('A page ends after about a megabyte', async () => {
  const table = await newTable();
  for (const pk of ['a', 'b', 'c', 'd']) {
    await put(table, pk, { text: { S: 'x'.repeat(390_000) } });
  }
  const first = await nextPage(await begin(streams, table));
  expect(first).toMatchObject({ found: [1, 2, 3], isLast: false });
  expect(await nextPage(first.next)).toMatchObject({ found: [4], isLast: true });
});

test('The images of a record that no function wants are never decoded', async () => {
  const table = await newTable();
  fill(table, 3);
  {
    using file = new DatabaseSync(path, { timeout: 5_000 });
    file
      .prepare(
        `UPDATE _stream_records SET event_name = 'MODIFY', new_image = 'no JSON' WHERE table_name = ? AND sequence_number = '2'`,
      )
      .run(table.name);
  }
  const { got } = await reading(table, [mapping(table, 'a')], { streams });
  await eventually(() => got('a').length === 2);
  expect(got('a')).toEqual([1, 3]);
});

test('A version of the database with other tables reads its pages itself', () => {
  const file = join(directory, 'other.sqlite');
  using other = new DatabaseSync(file);
  other.exec('CREATE TABLE _stream_records (id INTEGER PRIMARY KEY, shard_id TEXT, sequence_number TEXT)');
  expect(fileStreams(file, requests)).toBe(requests);
});
