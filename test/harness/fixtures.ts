import { afterAll } from 'vitest';
import { type FaultyTable, faultyTable } from '../contacts/faulty-table.ts';
import { type Product, startProduct } from './product.ts';
import { startTenants, type Tenants } from './tenants.ts';

// A test file calls these at its top; what they set up is there for all of its tests, and ends with them. Fixtures of `test.extend` would
// do the same, but every test would have to name them in its parameters.

/** The product with a table of its own. */
export async function setUpProduct(): Promise<Product> {
  const product = await startProduct();
  afterAll(() => product.stop());
  return product;
}

/** Two organizations with people in every role, in a product of their own. */
export async function setUpTenants(): Promise<Tenants> {
  const tenants = await startTenants();
  afterAll(() => tenants.product.stop());
  return tenants;
}

/** Stands between the product and its table. */
export function setUpFaultyTable(): FaultyTable {
  const table = faultyTable();
  afterAll(() => table.restore());
  return table;
}
