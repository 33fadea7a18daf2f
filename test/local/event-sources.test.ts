import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Database, startDatabase } from '../../infra/local/database.ts';
import { type EventSources, openEventSources } from '../../infra/local/event-sources.ts';
import type { StreamPlan, TablePlan } from '../../infra/local/plan.ts';
import type { StreamRecord } from '../../infra/local/stream-records.ts';
import { type StreamRequests, streamRequests } from '../../infra/local/stream-requests.ts';
import { trimRecords } from '../../infra/local/stream-trim.ts';
import { provideTable } from '../../infra/local/tables.ts';
import { upkeep } from '../../infra/local/upkeep.ts';
import { eventually } from '../harness/eventually.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

let directory: string;
let path: string;
let database: Database;
let client: DynamoDBClient;
let tables = 0;
const opened: EventSources[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'event-sources-'));
  path = join(directory, 'database.sqlite');
  database = await startDatabase(path);
  client = new DynamoDBClient({ endpoint: database.endpoint, region: 'us-east-1', credentials });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sources) => sources.stop()));
});
afterAll(async () => {
  client.destroy();
  await database.stop();
  await rm(directory, { recursive: true, force: true });
});

/** An empty table with a stream. */
async function newTable(): Promise<TablePlan> {
  tables += 1;
  const plan: TablePlan = {
    name: `table-${tables}`,
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
    TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
  };
  await provideTable(client, plan, path);
  return plan;
}

const put = async ({ name }: TablePlan, pk: string, more = {}) => {
  await client.send(new PutItemCommand({ TableName: name, Item: { pk: { S: pk }, ...more } }));
};

/** Records as the embedded database writes them, `count` at once. */
function fill({ name }: TablePlan, count: number): void {
  using file = new DatabaseSync(path, { timeout: 5_000 });
  file
    .prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $count)
      INSERT INTO _stream_records (table_name, event_name, keys_json, new_image, sequence_number, shard_id, created_at)
      SELECT $table, 'INSERT', json_object('pk', json_object('S', 'filled ' || n)),
        json_object('pk', json_object('S', 'filled ' || n), 'text', json_object('S', hex(randomblob(100)))),
        (SELECT coalesce(max(CAST(sequence_number AS INTEGER)), 0) FROM _stream_records WHERE table_name = $table) + n,
        'shardId-00000001-' || $table, unixepoch() FROM numbers`,
    )
    .run({ $table: name, $count: count });
}

/** The sequence numbers that are left, as far as the oldest and the newest tell. */
function records({ name }: TablePlan): { count: number; oldest: number; newest: number } {
  using file = new DatabaseSync(path, { readOnly: true });
  const found = file
    .prepare(
      `SELECT count(*) AS count, min(CAST(sequence_number AS INTEGER)) AS oldest,
        max(CAST(sequence_number AS INTEGER)) AS newest FROM _stream_records WHERE table_name = ?`,
    )
    .get(name);
  return { ...found } as { count: number; oldest: number; newest: number };
}

/** A mapping of a function with its own name. */
function mapping(table: TablePlan, name: string, more: Partial<StreamPlan> = {}): StreamPlan {
  return {
    id: name,
    tableName: table.name,
    EventSourceArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${table.name}/stream/now`,
    FunctionName: name,
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 100,
    MaximumRetryAttempts: -1,
    MaximumRecordAgeInSeconds: -1,
    BisectBatchOnFunctionError: false,
    FunctionResponseTypes: [],
    FilterCriteria: { Filters: [{ Pattern: { eventName: ['INSERT'] } }] },
    DestinationConfig: { OnFailure: { Destination: 'failures' } },
    ...more,
  };
}

type Handler = (records: StreamRecord[]) => unknown;

interface Reading {
  sources: EventSources;
  /** The sequence numbers that each function has got and finished, in order. */
  got(name: string): number[];
  /** Deletes what there is to delete, as a host does each minute. */
  tidy(): Promise<void>;
}

/** Runs mappings; what a function does with its records is `handlers`' matter. */
async function reading(
  table: TablePlan,
  plans: StreamPlan[],
  options: { file?: string; handlers?: Record<string, Handler>; streams?: StreamRequests } = {},
): Promise<Reading> {
  const got = new Map<string, number[]>();
  const sources = await openEventSources({
    streams: options.streams ?? streamRequests(database.endpoint, credentials),
    file: options.file,
    async invoke(name, event) {
      const { Records } = event as { Records: StreamRecord[] };
      const answer = await options.handlers?.[name]?.(Records);
      const numbers = Records.map(({ dynamodb }) => Number(dynamodb.SequenceNumber));
      got.set(name, [...(got.get(name) ?? []), ...numbers]);
      return answer;
    },
    sendToQueue: async () => undefined,
    idleMilliseconds: 20,
    log: () => undefined,
  });
  opened.push(sources);
  await sources.run(plans);
  const { tidy } = upkeep({
    file: path,
    client,
    table: () => table,
    readByAll: sources.readByAll,
    log: (line) => {
      throw new Error(line);
    },
  });
  return { sources, got: (name) => got.get(name) ?? [], tidy: () => tidy(Date.now()) };
}

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** Waits until all of the mappings have saved that they have read so far. */
const saved = ({ sources }: Reading, upTo: number) =>
  eventually(() => sources.readByAll().some((read) => read.upTo === upTo));

test('a change comes with everything in it as Lambda has it, binary in base64', async () => {
  const table = await newTable();
  const seen: StreamRecord[] = [];
  await reading(table, [mapping(table, 'a')], { handlers: { a: (all) => void seen.push(...all) } });
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

test('two readers of a stream cost the database as much as one', async () => {
  const table = await newTable();
  fill(table, 1_200);
  const asked = { shards: 0, pages: new Map<string, number>() };
  const real = streamRequests(database.endpoint, credentials);
  const streams: StreamRequests = {
    ...real,
    shards(arn) {
      asked.shards += 1;
      return real.shards(arn);
    },
    async page(iterator) {
      const page = await real.page(iterator);
      if (page.records.length > 0) {
        asked.pages.set(iterator, (asked.pages.get(iterator) ?? 0) + 1);
      }
      return page;
    },
  };
  const { got } = await reading(table, [mapping(table, 'a'), mapping(table, 'b')], { streams });
  for (const name of ['a', 'b']) {
    await eventually(() => got(name).length === 1_200);
    expect(got(name)).toEqual(numbers(1, 1_200));
  }
  expect([...asked.pages.values()]).toEqual([1, 1, 1]);
  expect(asked.shards).toBe(1);
});

test('a reader whose function hangs holds up no other, and gets everything later, in order and once', async () => {
  const table = await newTable();
  const held = Promise.withResolvers<void>();
  const { got } = await reading(table, [mapping(table, 'quick'), mapping(table, 'slow')], {
    handlers: { slow: () => held.promise },
  });
  for (let round = 1; round <= 4; round += 1) {
    fill(table, 700);
    await eventually(() => got('quick').length === 700 * round);
  }
  expect(got('slow')).toEqual([]);
  held.resolve();
  await eventually(() => got('slow').length === 2_800);
  expect(got('slow')).toEqual(numbers(1, 2_800));
  expect(got('quick')).toEqual(numbers(1, 2_800));
});

test('a reader whose function fails tries again by itself, and holds up no other', async () => {
  const table = await newTable();
  let failures = 0;
  const { got } = await reading(table, [mapping(table, 'sound'), mapping(table, 'failing')], {
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

test('what all have read is deleted, but the newest record, after which the next is numbered', async () => {
  const table = await newTable();
  fill(table, 1_234);
  const all = await reading(table, [mapping(table, 'a'), mapping(table, 'b')]);
  await saved(all, 1_234);
  await all.tidy();
  expect(records(table)).toEqual({ count: 1, oldest: 1_234, newest: 1_234 });

  await put(table, 'next');
  await eventually(() => all.got('a').length === 1_235 && all.got('b').length === 1_235);
  expect(all.got('a')).toEqual(numbers(1, 1_235));
  expect(records(table).newest).toBe(1_235);
});

test('a few records are not worth the work', async () => {
  const table = await newTable();
  fill(table, 499);
  const all = await reading(table, [mapping(table, 'a')]);
  await saved(all, 499);
  await all.tidy();
  expect(records(table).count).toBe(499);
});

test('nothing that the slowest reader has not finished is deleted', async () => {
  const table = await newTable();
  fill(table, 1_500);
  const held = Promise.withResolvers<void>();
  const all = await reading(table, [mapping(table, 'quick'), mapping(table, 'slow')], {
    handlers: { slow: ([first]) => (Number(first?.dynamodb.SequenceNumber) > 600 ? held.promise : null) },
  });
  await eventually(() => all.got('quick').length === 1_500);
  await saved(all, 600);
  await all.tidy();
  expect(records(table)).toEqual({ count: 900, oldest: 601, newest: 1_500 });

  held.resolve();
  await saved(all, 1_500);
  await all.tidy();
  expect(all.got('slow')).toEqual(numbers(1, 1_500));
  expect(records(table).count).toBe(1);
});

test('a reader that is added gets whatever is left, and holds back everything until it has', async () => {
  const table = await newTable();
  fill(table, 1_000);
  const held = Promise.withResolvers<void>();
  const old = mapping(table, 'old');
  const all = await reading(table, [old], { handlers: { added: () => held.promise } });
  await saved(all, 1_000);
  await all.tidy();
  fill(table, 1_000);
  await saved(all, 2_000);

  await all.sources.run([old, mapping(table, 'added')]);
  await all.tidy();
  expect(records(table)).toEqual({ count: 1_001, oldest: 1_000, newest: 2_000 });
  held.resolve();
  await eventually(() => all.got('added').length === 1_001);
  expect(all.got('added')).toEqual(numbers(1_000, 2_000));
  await saved(all, 2_000);
  await all.tidy();
  expect(records(table).count).toBe(1);
});

test('a reader that is added for new changes alone gets no old ones, and holds back nothing for long', async () => {
  const table = await newTable();
  fill(table, 1_000);
  const old = mapping(table, 'old');
  const all = await reading(table, [old]);
  await saved(all, 1_000);
  await all.sources.run([old, mapping(table, 'added', { StartingPosition: 'LATEST' })]);
  // It begins at some moment from now on: what is written until it has got something tells when.
  let next = 1_000;
  await eventually(async () => {
    next += 1;
    await put(table, `next ${next}`);
    return all.got('added').length > 0;
  });
  expect(all.got('added')[0]).toBeGreaterThan(1_000);
  await saved(all, next);
  await all.tidy();
  expect(records(table).count).toBe(1);
});

test('a reader that is changed holds back what it has not read, also while it starts anew', async () => {
  const table = await newTable();
  fill(table, 1_000);
  const held = Promise.withResolvers<void>();
  const quick = mapping(table, 'quick');
  const all = await reading(table, [quick, mapping(table, 'slow')], {
    handlers: { slow: () => held.promise },
  });
  await eventually(() => all.got('quick').length === 1_000);
  const changing = all.sources.run([quick, mapping(table, 'slow', { BatchSize: 10 })]);
  expect(all.sources.readByAll()).toEqual([]);
  held.resolve();
  await changing;
  await saved(all, 1_000);
  expect(new Set(all.got('slow'))).toEqual(new Set(numbers(1, 1_000)));
});

test('a reader that is taken away holds back nothing', async () => {
  const table = await newTable();
  fill(table, 1_000);
  const quick = mapping(table, 'quick');
  const failing = () => {
    throw new Error('This is meant to fail');
  };
  const all = await reading(table, [quick, mapping(table, 'gone')], { handlers: { gone: failing } });
  await eventually(() => all.got('quick').length === 1_000);
  await all.tidy();
  expect(records(table).count).toBe(1_000);
  await all.sources.run([quick]);
  await saved(all, 1_000);
  await all.tidy();
  expect(records(table).count).toBe(1);
});

test('what nobody wants is deleted, too, once it is on disk that everybody has passed it', async () => {
  const table = await newTable();
  fill(table, 1_000);
  const file = join(directory, 'unwanted.json');
  const unwanted = { Filters: [{ Pattern: { eventName: ['REMOVE'] } }] };
  const plan = mapping(table, 'a', { FilterCriteria: unwanted });
  const all = await reading(table, [plan], { file });
  await saved(all, 1_000);
  expect(await readFile(file, 'utf8')).toContain('"after": "1000"');
  await all.tidy();
  expect(records(table).count).toBe(1);
  expect(all.got('a')).toEqual([]);
});

test('a host that is killed before or after it has deleted records goes on where it has saved that it was', async () => {
  const table = await newTable();
  const file = join(directory, 'killed.json');
  fill(table, 1_000);
  const killed = await reading(table, [mapping(table, 'a')], { file });
  await saved(killed, 1_000);
  const asItWas = join(directory, 'as-it-was.json');
  await copyFile(file, asItWas);
  fill(table, 500);
  await saved(killed, 1_500);
  await killed.sources.stop();
  const atTheEnd = join(directory, 'at-the-end.json');
  await copyFile(file, atTheEnd);

  // Killed with the older positions: what is newer comes again.
  const before = await reading(table, [mapping(table, 'a')], { file: asItWas });
  await eventually(() => before.got('a').length >= 500);
  await saved(before, 1_500);
  expect(before.got('a')).toEqual(numbers(1_001, 1_500));
  await before.tidy();
  expect(records(table).count).toBe(1);

  await put(table, 'after the kill');
  const after = await reading(table, [mapping(table, 'a')], { file: atTheEnd });
  await eventually(() => after.got('a').length >= 1);
  expect(after.got('a')).toEqual([1_501]);
});

test('a host without its positions begins at what is left', async () => {
  const table = await newTable();
  fill(table, 1_000);
  const first = await reading(table, [mapping(table, 'a')]);
  await saved(first, 1_000);
  await first.tidy();
  await first.sources.stop();
  await put(table, 'next');
  const second = await reading(table, [mapping(table, 'a')]);
  await eventually(() => second.got('a').length === 2);
  expect(second.got('a')).toEqual([1_000, 1_001]);
});

test('a file that has lost its old records grows no more for as many new ones', async () => {
  const table = await newTable();
  const pages = () => {
    using file = new DatabaseSync(path, { readOnly: true });
    return Number(file.prepare('PRAGMA page_count').get()?.page_count);
  };
  const all = await reading(table, [mapping(table, 'a')]);
  const rounds: number[] = [];
  for (let round = 1; round <= 4; round += 1) {
    fill(table, 2_000);
    await saved(all, 2_000 * round);
    await all.tidy();
    rounds.push(pages());
  }
  const [first = 0] = rounds;
  expect(Math.max(...rounds)).toBeLessThan(1.05 * first);
});

test('the records of other tables are left alone', async () => {
  const [table, other] = [await newTable(), await newTable()];
  fill(table, 1_000);
  fill(other, 1_000);
  const all = await reading(table, [mapping(table, 'a')]);
  await saved(all, 1_000);
  await all.tidy();
  expect(records(table).count).toBe(1);
  expect(records(other).count).toBe(1_000);
});

test('a database that is busy with another program keeps its records until the next time', async () => {
  const table = await newTable();
  fill(table, 1_000);
  const lines: string[] = [];
  const read = [{ tableName: table.name, shardId: `shardId-00000001-${table.name}`, upTo: 1_000 }];
  const { tidy } = upkeep({
    file: path,
    client,
    table: () => table,
    readByAll: () => read,
    log: (line) => void lines.push(line),
  });
  {
    using other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    await tidy(Date.now());
    other.exec('ROLLBACK');
  }
  expect(lines).toEqual([expect.stringMatching(/^The database could not be tidied, .*database is locked/)]);
  expect(records(table).count).toBe(1_000);
  await tidy(Date.now());
  expect(records(table).count).toBe(1);
  expect(lines).toHaveLength(1);
});

test('a database with other tables keeps its records', () => {
  using other = new DatabaseSync(':memory:');
  other.exec('CREATE TABLE _stream_records (id INTEGER PRIMARY KEY, shard_id TEXT, sequence_number TEXT)');
  other.exec("INSERT INTO _stream_records VALUES (1, 'a', '1'), (2, 'a', '2')");
  expect(trimRecords(other, { tableName: 'a', shardId: 'a', upTo: 2, most: 10 })).toBe(0);
  expect(other.prepare('SELECT count(*) AS count FROM _stream_records').get()).toEqual({ count: 2 });
});

test('the shard after one that has ended is found and read, after it', async () => {
  const table = await newTable();
  let hasEnded = false;
  const record = (SequenceNumber: string) => ({
    eventName: 'INSERT',
    dynamodb: { SequenceNumber, ApproximateCreationDateTime: 0 },
  });
  const streams: StreamRequests = {
    streamArns: async () => ['stream'],
    shards: async () => [
      ...(hasEnded ? [{ ShardId: 'child', ParentShardId: 'parent' }] : []),
      { ShardId: 'parent', ParentShardId: 'gone long ago' },
    ],
    iterator: async (_stream, shard) => `${shard} 0`,
    async page(iterator) {
      if (iterator === 'parent 0') {
        return { records: [record('1')], next: 'parent 1' };
      }
      if (iterator === 'parent 1') {
        return { records: [], next: hasEnded ? undefined : 'parent 1' };
      }
      return { records: iterator === 'child 0' ? [record('2')] : [], next: 'child 1' };
    },
    close: () => undefined,
  };
  const file = join(directory, 'shards.json');
  const plans = [mapping(table, 'a'), mapping(table, 'b')];
  const first = await reading(table, plans, { streams, file });
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
