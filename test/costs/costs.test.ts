import { expect, test } from 'vitest';
import { setUpWorld } from '../harness/fixtures.ts';
import { costs, measureCosts } from './costs.ts';
import { reasons } from './reasons.ts';

const world = await setUpWorld();

test('Each request consumes what the table of costs says; `npm run costs` writes it', async () => {
  expect(await measureCosts(world)).toEqual(costs);
});

test('A request that makes more than two round trips, one after the other, has a reason', () => {
  const slow = Object.keys(costs).filter((name) => (costs[name]?.roundTrips ?? 0) > 2);
  expect(Object.keys(reasons).toSorted()).toEqual(slow);
});
