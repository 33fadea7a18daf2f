import { expect, test } from 'vitest';
import { JobQueue } from '../../infra/local/workers/job-queue.ts';

/** A line in which these events wait, named by their callers: `a1` is the first of caller `a`. */
function lineOf(...names: string[]) {
  const line = new JobQueue<{ name: string; caller: string }>();
  for (const name of names) {
    line.add({ name, caller: name.slice(0, 1) }, 0);
  }
  return {
    line,
    take: (most: number, mayTake?: (caller: string | undefined) => boolean) =>
      line.take(most, mayTake).map(({ name }) => name),
  };
}

test('Callers take turns, and the events of each keep their order', () => {
  const { take } = lineOf('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
  expect(take(9)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('Whose turn is next stays the same from one worker to the next', () => {
  const { line, take } = lineOf('a1', 'a2', 'a3', 'b1', 'b2');
  expect([take(1), take(1), take(1)]).toEqual([['a1'], ['b1'], ['a2']]);
  line.add({ name: 'c1', caller: 'c' }, 0);
  expect(take(9)).toEqual(['b2', 'a3', 'c1']);
  expect(line.length).toBe(0);
});

test('A caller who comes while another has many waiting is next but one', () => {
  const { line, take } = lineOf('a1', 'a2', 'a3');
  expect(take(1)).toEqual(['a1']);
  line.add({ name: 'b1', caller: 'b' }, 0);
  expect(take(9)).toEqual(['a2', 'b1', 'a3']);
});

test('Events that come back are the first again', () => {
  const { line, take } = lineOf('a1', 'a2', 'b1', 'a3', 'b2');
  const taken = line.take(3);
  expect(taken.map(({ name }) => name)).toEqual(['a1', 'b1', 'a2']);
  line.putBack(taken.slice(1));
  expect(line.length).toBe(4);
  expect(take(9)).toEqual(['b1', 'a2', 'b2', 'a3']);
});

test('Events of a caller who may have no more are left where they are', () => {
  const { line, take } = lineOf('a1', 'a2', 'b1');
  expect(take(9, (caller) => caller !== 'a')).toEqual(['b1']);
  expect(line.length).toBe(2);
  expect(take(9)).toEqual(['a1', 'a2']);
});

test('A caller has company for ten seconds after another had an event', () => {
  const line = new JobQueue<{ caller: string | undefined }>();
  line.add({ caller: 'a' }, 0);
  line.add({ caller: 'a' }, 1_000);
  expect(line.hasOtherCallers('a', 1_000)).toBe(false);
  line.add({ caller: 'b' }, 2_000);
  line.add({ caller: 'a' }, 11_000);
  expect(line.hasOtherCallers('a', 12_000)).toBe(true);
  expect(line.hasOtherCallers('a', 12_001)).toBe(false);
  expect(line.hasOtherCallers('b', 12_001)).toBe(true);
});
