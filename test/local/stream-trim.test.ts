import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { trimRecords } from '../../infra/local/database/stream-trim.ts';
import { upkeep } from '../../infra/local/database/upkeep.ts';
import { eventually } from '../harness/eventually.ts';
import { mapping, numbers, saved, setUpStreams } from './stream-reading.ts';

const { client, directory, fill, newTable, path, put, reading, records } = await setUpStreams();

test('What all have read is deleted, but the newest record, after which the next is numbered', async () => {
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

test('A few records are not worth the work', async () => {
  const table = await newTable();
  fill(table, 499);
  const all = await reading(table, [mapping(table, 'a')]);
  await saved(all, 499);
  await all.tidy();
  expect(records(table).count).toBe(499);
});

test('Nothing that the slowest reader has not finished is deleted', async () => {
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

test('A reader that is added gets whatever is left, and holds back everything until it has', async () => {
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

test('A reader that is added for new changes alone gets no old ones, and holds back nothing for long', async () => {
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

test('A reader that is changed holds back what it has not read, even while it starts anew', async () => {
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

test('A reader that is taken away holds back nothing', async () => {
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

test('What nobody wants is deleted, too, once it is on disk that everybody has passed it', async () => {
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

test('A host that is killed before or after it has deleted records goes on where it has saved that it was', async () => {
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

test('A host without its positions begins at what is left', async () => {
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

test('A file that has lost its old records grows no more for as many new ones', async () => {
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

test('The records of other tables are left alone', async () => {
  const [table, other] = [await newTable(), await newTable()];
  fill(table, 1_000);
  fill(other, 1_000);
  const all = await reading(table, [mapping(table, 'a')]);
  await saved(all, 1_000);
  await all.tidy();
  expect(records(table).count).toBe(1);
  expect(records(other).count).toBe(1_000);
});

test('A database that is busy with another program keeps its records until the next time', async () => {
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
  expect(lines).toEqual([
    expect.stringMatching(/^The database could not be cleaned up; .*database is locked/),
  ]);
  expect(records(table).count).toBe(1_000);
  await tidy(Date.now());
  expect(records(table).count).toBe(1);
  expect(lines).toHaveLength(1);
});

test('A database with other tables keeps its records', () => {
  using other = new DatabaseSync(':memory:');
  other.exec('CREATE TABLE _stream_records (id INTEGER PRIMARY KEY, shard_id TEXT, sequence_number TEXT)');
  other.exec("INSERT INTO _stream_records VALUES (1, 'a', '1'), (2, 'a', '2')");
  expect(trimRecords(other, { tableName: 'a', shardId: 'a', upTo: 2, most: 10 })).toBe(0);
  expect(other.prepare('SELECT count(*) AS count FROM _stream_records').get()).toEqual({ count: 2 });
});
