import { expect, test } from 'vitest';
import { remember } from '../../shared/kernel/remember.ts';

test('When there are more keys than room, the one set longest ago is forgotten', () => {
  const memory = new Map<string, number>();
  for (const [at, key] of ['a', 'b', 'a', 'c', 'd'].entries()) {
    remember(memory, key, at, 3);
  }
  expect([...memory]).toEqual([
    ['a', 2],
    ['c', 3],
    ['d', 4],
  ]);
});
