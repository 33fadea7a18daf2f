import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { type Person, type Product, startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { budgets } from './budgets.ts';
import { newDataset, readNewest, stageCount } from './dataset.ts';

/** Contacts on a page of a column. */
const size = 20;

interface Column {
  readonly contacts: readonly unknown[];
  readonly total: number;
}

describe('The price of an operation', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product.stop());

  test('A board on which nothing changed costs as much over 1,000 contacts as over 200', async () => {
    // A fixed day makes the same contacts every time.
    const many = await newDataset(product, 1_000, new Date('2026-01-01'));
    const few = await readNewest(product, many, 200);
    const board = async ({ token }: Person) => {
      const response = await product.call('list-contacts-by-stage', { token, body: { size } });
      const columns: Column[] = Object.values(expectStatus(response, 200).data);
      expect(columns).toHaveLength(stageCount);
      return { consumed: response.consumed, total: columns.reduce((sum, { total }) => sum + total, 0) };
    };
    for (const who of ['admin', 'rep'] as const) {
      await board(few[who]);
      await board(many[who]);

      const overFew = await board(few[who]);
      const overMany = await board(many[who]);
      expect(overMany.total).toBeGreaterThan(2 * overFew.total);
      const { requests, roundTrips, readUnits, writeUnits } = overFew.consumed ?? ({} as Consumption);
      expect(overMany.consumed).toMatchObject({ requests, roundTrips, readUnits, writeUnits });
      expect([roundTrips, writeUnits]).toEqual([budgets.board.roundTrips, 0]);
      expect(readUnits).toBeLessThanOrEqual(budgets.board.readUnits);
    }
  });
});

test('A benchmark leaves nothing running that would keep its program from ending', async ({ signal }) => {
  const program =
    "const { startSetup } = await import('./test/bench/setup.ts'); await (await startSetup()).stop();";
  await expect(
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: projectRoot,
      signal,
    }),
  ).resolves.toEqual({ stdout: '', stderr: '' });
});
