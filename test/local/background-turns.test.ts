import { expect, test } from 'vitest';
import { BackgroundTurns } from '../../infra/local/workers/background-turns.ts';
import { eventually } from '../harness/eventually.ts';

test('Whoever finds no turn free is offered one in the order of asking', () => {
  const offered: string[] = [];
  const turns = new BackgroundTurns<string>(1, 60_000, (next) => offered.push(next));
  expect(turns.isFreeFor('a')).toBe(true);
  const end = turns.begin();
  expect(['b', 'c', 'b'].map((one) => turns.isFreeFor(one))).toEqual([false, false, false]);
  expect(offered).toEqual([]);
  end();
  // Neither has begun one, so both are asked.
  expect(offered).toEqual(['b', 'c']);
});

test('A turn that was offered and begun is not offered to the next', () => {
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const turns = new BackgroundTurns<string>(1, 60_000, (next) => {
    order.push(next);
    ends.push(turns.begin());
  });
  ends.push(turns.begin());
  turns.isFreeFor('a');
  turns.isFreeFor('b');
  ends[0]?.();
  expect(order).toEqual(['a']);
  ends[0]?.(); // Ends once.
  expect(order).toEqual(['a']);
  ends[1]?.();
  expect(order).toEqual(['a', 'b']);
  ends[2]?.();
});

test('A turn that takes too long lets the next begin, and its end frees no other', async () => {
  const offered: string[] = [];
  const turns = new BackgroundTurns<string>(1, 1, (next) => offered.push(next));
  const endOfLong = turns.begin();
  turns.isFreeFor('next');
  await eventually(() => offered.length === 1);
  turns.begin();
  endOfLong();
  expect(turns.isFreeFor('another')).toBe(false);
  await eventually(() => offered.length === 2);
});
