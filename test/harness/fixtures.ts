import { afterAll } from 'vitest';
import { type FaultyTable, faultyTable } from '../contacts/faulty-table.ts';
import { type Product, startProduct } from './product.ts';
import { startWorld, type World } from './world.ts';

// What a test file sets up at its top is there for all of its tests, and ends with them. Fixtures of `test.extend` would do the same,
// but have every test name in its parameters what it uses.

/** The product with a table of its own. */
export async function setUpProduct(): Promise<Product> {
  const product = await startProduct();
  afterAll(() => product.stop());
  return product;
}

/** Two organizations with people in every role, in a product of their own. */
export async function setUpWorld(): Promise<World> {
  const world = await startWorld();
  afterAll(() => world.product.stop());
  return world;
}

/** Stands between the product and its table. */
export function setUpFaultyTable(): FaultyTable {
  const table = faultyTable();
  afterAll(() => table.restore());
  return table;
}
