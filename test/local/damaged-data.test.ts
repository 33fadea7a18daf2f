import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHost } from '../../infra/local/host.ts';
import { fixtureAssembly } from '../harness/assembly.ts';
import { eventually } from '../harness/eventually.ts';
import type { Json } from '../harness/json.ts';
import { startFixture } from './fixture/running.ts';

let directory: string;
let assembly: string;
/** What a host has left behind that had something to do. */
let intact: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'damaged-data-'));
  assembly = await fixtureAssembly();
  intact = join(directory, 'intact');
  const running = await startFixture({ assembly, dataDir: intact });
  await running.put('job#done');
  await eventually(() => running.read('seen#job#done'));
  await running.stop();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Starts a host on a copy that was damaged; answers what it complains of, and of which file. */
async function problemOn(
  damage: (dataDir: string) => Promise<unknown>,
  of = assembly,
): Promise<[string, string]> {
  const dataDir = await mkdtemp(join(directory, 'copy-'));
  await cp(intact, dataDir, { recursive: true });
  await damage(dataDir);
  const outcome = await startHost({ assembly: of, port: 0, dataDir }).catch((error: unknown) => error);
  if (!(outcome instanceof Error)) {
    await (outcome as { stop(): Promise<void> }).stop();
    throw new Error('The host started.');
  }
  expect(outcome.cause).toBeUndefined();
  const [, file = '', said = ''] = /^\S+\/(\S+) ([^\n]+)$/.exec(outcome.message) ?? [outcome.message];
  return [file, said];
}

const remedy = 'start with --fresh, or choose another data directory with DATA_DIR=.';
const isDamaged = `is damaged, or was written by another version of Switchboard: ${remedy}`;

const overwritten = (name: string, text: string | Buffer) => (dataDir: string) =>
  writeFile(join(dataDir, name), text);

test.each(['streams.json', 'secrets.json', 'custom-resources.json'])(
  'A damaged %s is reported in one sentence, whatever the damage',
  async (name) => {
    for (const text of ['', '{"cut', 'null', '[]', '{"some": "thing else"}', Buffer.from([0xff, 0, 0xfe])]) {
      expect(await problemOn(overwritten(name, text)), String(text)).toEqual([name, isDamaged]);
    }
  },
);

test.each<[string, (file: string) => Promise<unknown> | unknown]>([
  ['something else', (file) => writeFile(file, 'something else '.repeat(1000))],
  ['one byte', (file) => writeFile(file, 'x')],
  ['nothing', (file) => writeFile(file, '')],
  ['the first ten bytes of it', (file) => truncate(file, 10)],
  ['the first half of it', async (file) => truncate(file, Math.floor((await readFile(file)).length / 2))],
  [
    'a hole in the middle',
    async (file) => {
      const bytes = await readFile(file);
      await writeFile(file, bytes.fill(0xff, 8192, bytes.length - 8192));
    },
  ],
  [
    'the database of another program',
    async (file) => {
      await rm(file);
      using database = new DatabaseSync(file);
      database.exec('CREATE TABLE customers (id INTEGER)');
    },
  ],
])('A database of which there is %s is reported in one sentence', async (_, damage) => {
  const outcome = await problemOn(async (dataDir) => damage(join(dataDir, 'database.sqlite')));
  expect(outcome).toEqual(['database.sqlite', isDamaged]);
});

test('A database that has lost its table is not filled anew behind the back of its owner', async () => {
  const outcome = await problemOn(async (dataDir) => {
    const running = await startFixture({ assembly, dataDir });
    await running.database.send(new DeleteTableCommand({ TableName: running.table }));
    await running.stop();
  });
  expect(outcome).toEqual(['database.sqlite', isDamaged]);
});

test.each([
  ['other names', 'id', 'S'],
  ['another type', 'pk', 'N'],
])('A table whose keys have %s in this version was made by another one', async (_, name, type) => {
  const changed = await mkdtemp(join(directory, 'assembly-'));
  await cp(assembly, changed, { recursive: true });
  const file = join(changed, 'FixtureData.template.json');
  const template = JSON.parse(await readFile(file, 'utf8'));
  for (const { Type, Properties } of Object.values<Json>(template.Resources)) {
    if (Type !== 'AWS::DynamoDB::Table') {
      continue;
    }
    const others = Properties.AttributeDefinitions.filter(
      ({ AttributeName }: { AttributeName: string }) => AttributeName !== 'pk',
    );
    Properties.AttributeDefinitions = [...others, { AttributeName: name, AttributeType: type }];
    Properties.KeySchema = [{ AttributeName: name, KeyType: 'HASH' }];
  }
  await writeFile(file, JSON.stringify(template));

  expect(await problemOn(async () => undefined, changed)).toEqual([
    'database.sqlite',
    `was written by another version of Switchboard: ${remedy}`,
  ]);
});
