import { expect, test } from 'vitest';
import { forEachConcurrently } from '../../shared/kernel/for-each-concurrently.ts';

/** Acts on the items in 1 ms each; what was acted on, and on how many of them at a time at most. */
async function acted(items: readonly string[], width: number, bad: readonly string[] = []) {
  const order: string[] = [];
  let now = 0;
  let most = 0;
  const failures = await forEachConcurrently(items, width, async (item) => {
    order.push(item);
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setTimeout(resolve, 1));
    now -= 1;
    if (bad.includes(item)) {
      throw item;
    }
  });
  return { order, most, failures };
}

test.each([1, 2, 3])('Items are acted on in their order, at most %i at a time', async (width) => {
  const items = ['a', 'b', 'c', 'd', 'e', 'f'];
  expect(await acted(items, width)).toEqual({ order: items, most: width, failures: [] });
});

test('Failures are reported, and keep nothing else from being done', async () => {
  const items = ['a', 'b', 'c', 'd'];
  expect(await acted(items, 1, ['a', 'c'])).toEqual({ order: items, most: 1, failures: ['a', 'c'] });
});

test('Nothing to do is done', async () => {
  expect(await acted([], 3)).toEqual({ order: [], most: 0, failures: [] });
});
