import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { costs, measureCosts } from './costs.ts';
import { reasons } from './reasons.ts';

const tenants = await setUpTenants();

test('Each request consumes what the table of costs says; `npm run costs` writes it', async () => {
  expect(await measureCosts(tenants)).toEqual(costs);
});

test('A request that makes more than two round trips, one after the other, has a reason', () => {
  const slow = Object.keys(costs).filter((name) => (costs[name]?.roundTrips ?? 0) > 2);
  expect(Object.keys(reasons).toSorted()).toEqual(slow);
});
