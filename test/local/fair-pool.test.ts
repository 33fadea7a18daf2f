import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { goOn, poolOf, waiting } from './pool-of.ts';

test('A caller with many slow events leaves a worker to the others who ask for the same', async () => {
  const { invoke } = await poolOf(waiting, { workersOfOneFunction: 2, maxWaitMilliseconds: 1 });
  await invoke({}, 'one', 'other');
  const slow = Promise.all(Array.from({ length: 4 }, () => invoke({ wait: true }, 'one', 'many')));
  for (let n = 0; n < 5; n += 1) {
    await invoke({}, 'one', 'other');
  }
  let isDone = false;
  void slow.then(() => {
    isDone = true;
  });
  await eventually(() => {
    goOn();
    return isDone;
  });
});

test('Functions that nobody waits for run one at a time, and one that hangs does not stop the others', async () => {
  const { invoke } = await poolOf(
    `export async function handler({ hangs }) {
       if (hangs) { await new Promise(() => setInterval(() => {}, 1000)); }
       return 'done';
     }`,
    { background: ['a', 'b'], backgroundAtOnce: 1, longBackgroundMilliseconds: 50 },
  );
  void invoke({ hangs: true }, 'a').catch(() => undefined);
  expect(await Promise.all([invoke({}, 'b'), invoke({}, 'a'), invoke({})])).toEqual(['done', 'done', 'done']);
});

test('A function that nobody waits for is loaded even where others are all the time', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const { invoke } = await poolOf('export const handler = () => null;', {
    names,
    background: ['clock'],
    workers: 3,
    longBackgroundMilliseconds: 100,
  });
  let isDone = false;
  // More in turn than there are workers: each is loaded anew.
  const askingAgain = names.map(async (name) => {
    while (!isDone) {
      await invoke({}, name);
    }
  });
  expect(await Promise.all([...names, 'clock'].map((name) => invoke({}, name)))).toEqual(
    Array.from({ length: 7 }, () => null),
  );
  isDone = true;
  await Promise.all(askingAgain);
});

const telling = `
  import { getPriority } from 'node:os';
  const { TABLE_CONNECTIONS: connections } = process.env;
  export const handler = () => ({ connections, priority: getPriority(0) });
`;

test('A thread of work that nobody waits for leaves processors and database to the others', async () => {
  const { invoke } = await poolOf(telling, { background: ['clock'], backgroundYields: true });
  const own = getPriority(0);
  expect(await invoke({}, 'clock')).toEqual({
    connections: '2',
    priority: process.platform === 'linux' ? Math.min(own + 3, 19) : own,
  });
  expect(await invoke()).toEqual({ priority: own });
  expect(getPriority(0)).toBe(own);
});
