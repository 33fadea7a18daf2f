import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { goOn, poolOf, waiting } from './pool-of.ts';

test('A handler gets one event at a time, however many wait and however quick it is', async () => {
  const { invoke } = await poolOf(`
    let inside = 0, most = 0;
    export async function handler({ n }) {
      inside += 1;
      most = Math.max(most, inside);
      await null;
      if (n % 50 === 0) { await new Promise(setImmediate); }
      inside -= 1;
      return { n, most };
    }
  `);
  const all = Array.from({ length: 500 }, (_, n) => n);
  expect(await Promise.all(all.map((n) => invoke({ n })))).toEqual(all.map((n) => ({ n, most: 1 })));
});

test('Quick events do not wait behind one that takes long', async () => {
  const { invoke } = await poolOf(waiting);
  for (let n = 0; n < 200; n += 1) {
    await invoke();
  }
  const long = invoke({ wait: true });
  await Promise.all(Array.from({ length: 20 }, () => invoke()));
  let isDone = false;
  void long.then(() => {
    isDone = true;
  });
  await eventually(() => {
    goOn();
    return isDone;
  });
});

test('Events behind one that never ends, or ends its process, are handled by another worker, each once', async () => {
  const { invoke, lines } = await poolOf(
    `export async function handler({ n, how }) {
      if (how === 'spin') { for (;;) {} }
      if (how === 'exit') { process.exit(1); }
      if (how === 'crash') { setImmediate(() => { throw new Error('Too late'); }); await new Promise(() => setInterval(() => {}, 1000)); }
      console.log('did ' + n);
      return n;
    }`,
    { seconds: 0.5 },
  );
  for (let n = 0; n < 100; n += 1) {
    await invoke({ n: 'first' });
  }
  for (const how of ['spin', 'exit', 'crash']) {
    const bad = invoke({ how }).catch((error: { errorType: string }) => error.errorType);
    const good = await Promise.all(Array.from({ length: 10 }, (_, n) => invoke({ n: `${how} ${n}` })));
    expect(good).toEqual(Array.from({ length: 10 }, (_, n) => `${how} ${n}`));
    expect(await bad).toBe({ spin: 'Sandbox.Timedout', exit: 'Runtime.ExitError', crash: 'Error' }[how]);
  }
  expect(lines.filter((line) => /^did (spin|exit|crash)/.test(line)).sort()).toEqual(
    ['crash', 'exit', 'spin'].flatMap((how) => Array.from({ length: 10 }, (_, n) => `did ${how} ${n}`)),
  );
});

test.each([
  ['ends its process', 'process.exit(1)'],
  [
    'throws where nobody catches it',
    "setImmediate(() => { throw new Error('gone'); }); await new Promise(() => {})",
  ],
  // It takes a processor from others all the time.
  ['never ends', 'for (;;) {}', 0.5],
  [
    'needs more memory than it has',
    'const all = []; for (;;) { all.push(new Array(1e5).fill(all.length)); }',
  ],
])('The last lines of a function that %s are shown, in their order', async (_what, code, seconds = 10) => {
  const { invoke, lines } = await poolOf(
    `export async function handler() {
      console.log('first');
      console.error('second');
      process.stdout.write('third\\nwithout an end');
      ${code}
    }`,
    { seconds },
  );
  await expect(invoke()).rejects.toThrow();
  expect(lines.slice(0, 4)).toEqual(['first', 'second', 'third', 'without an end']);
});

test('What a function prints comes before the end of its run, whole lines and all of them', async () => {
  const { invoke, lines } = await poolOf(`
    export function handler() {
      for (let n = 0; n < 2000; n += 1) { console.log('line ' + n + ' ' + '結'.repeat(20)); }
      process.stdout.write(Buffer.from('in bytes '));
      process.stderr.write('and text\\n');
      console.log();
    }
  `);
  await invoke();
  expect(lines).toHaveLength(2_002);
  expect(lines[1_999]).toBe(`line 1999 ${'結'.repeat(20)}`);
  expect(lines.slice(2_000)).toEqual(['in bytes and text', '']);
});

test('What a function prints while it waits is shown before it is done', async () => {
  const { invoke, lines } = await poolOf(`
    export async function handler() {
      console.log('waits');
      await new Promise(() => setInterval(() => {}, 1000));
    }
  `);
  void invoke().catch(() => undefined);
  await eventually(() => lines.includes('waits'));
});

test('A function has no more workers than it may have, and each handles events', async () => {
  const { invoke } = await poolOf(waiting, { workersOfOneFunction: 3, maxWaitMilliseconds: 1 });
  const waits = Promise.all(Array.from({ length: 3 }, () => invoke({ wait: true })));
  let isDone = false;
  void waits.then(() => {
    isDone = true;
  });
  await eventually(() => {
    goOn();
    return isDone;
  });
  const answers = (await waits) as { threadId: number }[];
  const more = Array.from({ length: 30 }, () => invoke());
  const threads = new Set(
    [...answers, ...((await Promise.all(more)) as { threadId: number }[])].map((one) => one.threadId),
  );
  expect(threads.size).toBeLessThanOrEqual(3);
});

test('A worker that has rested for long ends; the next event starts another', async () => {
  const { invoke } = await poolOf(waiting, { idleMilliseconds: 20 });
  const first = (await invoke()) as { threadId: number };
  await eventually(async () => ((await invoke()) as { threadId: number }).threadId !== first.threadId);
});

test('Functions that are more than the workers take turns, and none is left without', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { invoke } = await poolOf(waiting, { names, workers: 2 });
  const answers = await Promise.all(names.flatMap((name) => [1, 2, 3].map(() => invoke({}, name))));
  expect(answers).toHaveLength(15);
});

test('Events that a worker is too busy to begin are not lost, even if it is the only one', async () => {
  const { invoke } = await poolOf(
    `export function handler({ busy }) {
      if (busy) {
        setImmediate(() => { const end = performance.now() + 50; while (performance.now() < end) {} });
      }
      return 'done';
    }`,
    { workersOfOneFunction: 1 },
  );
  for (let n = 0; n < 200; n += 1) {
    await invoke();
  }
  await invoke({ busy: true });
  const answers = await Promise.all(Array.from({ length: 10 }, () => invoke()));
  expect(answers).toEqual(Array(10).fill('done'));
});
