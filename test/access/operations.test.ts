import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { withRows } from './operations.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-rows-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const registered = (name: string) => ({
  name,
  operation: operation({
    route: `GET /api/${name}`,
    summary: 'Made up',
    family: 'plain',
    minimumRole: 'SALES_REP',
    output: z.object({}),
    uses: {},
    run: async () => ({}),
  }),
});

const writeRow = (name: string) =>
  writeFile(join(folder, `${name}.ts`), `export default { about: 'self', request: () => ({ path: {} }) };`);

test('The rows of the generated tests go with the operation of the same name', async () => {
  await writeRow('read-note');
  await writeRow('write-note');
  const found = await withRows([registered('read-note'), registered('write-note')], folder);
  expect(found.map(({ name, operation, row }) => [name, operation.route, row.about])).toEqual([
    ['read-note', 'GET /api/read-note', 'self'],
    ['write-note', 'GET /api/write-note', 'self'],
  ]);
});

test('The rows of the generated tests fail every generated test when an operation has none, and name the operation', async () => {
  await writeRow('read-note');
  await expect(withRows([registered('read-note'), registered('write-note')], folder)).rejects.toThrow(
    'Operations without a row: write-note.',
  );
});

test('The rows of the generated tests fail every generated test when one is left behind by its operation', async () => {
  await writeRow('read-note');
  await writeRow('write-note');
  await expect(withRows([registered('read-note')], folder)).rejects.toThrow(
    'Rows without an operation: write-note.',
  );
});
