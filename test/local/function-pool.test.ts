import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { startPool } from './pool-of.ts';

/** A module that tells its thread and function, and waits as long as an event says. */
const telling = `
  import { setTimeout as sleep } from 'node:timers/promises';
  import { threadId } from 'node:worker_threads';
  let inside = 0;
  export async function handler({ milliseconds }) {
    inside += 1;
    const most = inside;
    await sleep(milliseconds ?? 0);
    inside -= 1;
    return { threadId, most, name: process.env.NAME };
  }
`;
interface Told {
  threadId: number;
  most: number;
  name: string;
}

test('A few workers run any number of functions, each with its own environment and one event at a time', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `function ${n}`);
  const { invoke } = await startPool(telling, { names, workers: 3 });
  const events = names.flatMap((name) => [name, name, name]);
  const told = (await Promise.all(events.map((name) => invoke({}, name)))) as Told[];
  expect(told.map(({ name }) => name)).toEqual(events);
  expect(told.every(({ most }) => most === 1)).toBe(true);
  expect(new Set(told.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(3);
});

test.each([true, false])(
  'Neither events that somebody waits for nor others starve, however many of the other kind wait (awaited: %s)',
  async (isAwaited) => {
    const { invoke } = await startPool(telling, { workers: 2 });
    const ended: string[] = [];
    const begin = (count: number, kind: string, awaited: boolean) =>
      Array.from({ length: count }, () =>
        invoke({ milliseconds: 20 }, 'one', awaited).then(() => ended.push(kind)),
      );
    await Promise.all([...begin(8, 'many', isAwaited), ...begin(1, 'single', !isAwaited)]);
    expect(ended.indexOf('single')).toBeLessThan(7);
  },
);

test('Events whose function waits for the service leave half of the workers for what they wait for', async () => {
  const { invoke } = await startPool(telling, {
    names: ['asking', 'asked'],
    workers: 2,
    environment: (name) => (name === 'asking' ? { OWN_REQUESTS: 'forward' } : {}),
  });
  const ended: string[] = [];
  const begin = (name: string) => invoke({ milliseconds: 20 }, name).then(() => ended.push(name));
  await Promise.all([...Array.from({ length: 8 }, () => begin('asking')), begin('asked')]);
  expect(ended.indexOf('asked')).toBeLessThan(7);
});

test('Functions that wait for addresses outside take no worker of others, however many wait', async () => {
  const { invoke } = await startPool(telling, {
    names: ['posting', 'other'],
    workers: 2,
    environment: (name) => (name === 'posting' ? { OUTGOING_POSTS: 'local' } : {}),
  });
  // They end with the pool.
  for (let number = 0; number < 4; number += 1) {
    invoke({ milliseconds: 25_000 }, 'posting', false).catch(() => undefined);
  }
  await expect(invoke({}, 'other', false)).resolves.toMatchObject({ name: 'other' });
  await expect(invoke({}, 'other', true)).resolves.toMatchObject({ name: 'other' });
});

test.each([
  ['never ends', 'for (;;) {}', 'Sandbox.Timedout'],
  ['ends its process', 'process.exit(1);', 'Runtime.ExitError'],
  [
    'throws where nobody catches it',
    "setImmediate(() => { throw new Error('gone'); }); await new Promise(() => {});",
    'Error',
  ],
  [
    'needs more memory than it has',
    'const all = []; for (;;) { all.push(new Array(1e5).fill(all.length)); }',
    'Error',
  ],
])(
  'A function that %s fails alone, and its last lines are shown in their order',
  async (_what, code, errorType) => {
    const { invoke, lines } = await startPool(
      `export async function handler({ isBad }) {
      if (!isBad) { return 'good'; }
      console.log('first');
      console.error('second');
      process.stdout.write('third\\nwithout an end');
      ${code}
    }`,
      { workers: 1, seconds: errorType === 'Sandbox.Timedout' ? 0.5 : 10 },
    );
    await invoke();
    const bad = invoke({ isBad: true });
    const good = [invoke(), invoke()];
    await expect(bad).rejects.toMatchObject({ errorType });
    expect(await Promise.all(good)).toEqual(['good', 'good']);
    expect(lines.slice(0, 4)).toEqual(['first', 'second', 'third', 'without an end']);
  },
);

test('A function that cannot be loaded fails each of its events, until there is a version that can', async () => {
  const { invoke, define } = await startPool(`throw new TypeError('It does not load');`, { workers: 1 });
  await expect(invoke()).rejects.toMatchObject({ errorType: 'TypeError' });
  await expect(invoke()).rejects.toMatchObject({ errorType: 'TypeError' });
  await expect(invoke({}, 'absent')).rejects.toThrow('There is no function absent.');
  await define(`export const handler = () => 'loaded';`);
  expect(await invoke()).toBe('loaded');
});

test('A function without a module fails its events, and the end of its worker harms nobody', async () => {
  const { invoke, define } = await startPool(telling, { handler: 'missing.handler' });
  for (const _ of ['first', 'second']) {
    await expect(invoke()).rejects.toMatchObject({ errorType: 'Runtime.ImportModuleError' });
  }
  // Retires the worker. Vitest fails for a rejection that nobody handles.
  await define(telling);
});

test('What a function prints comes before the end of its run, whole lines and all of them', async () => {
  const { invoke, lines } = await startPool(`
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

test('Events under way finish on the code that they began with, and those that wait get the new code', async () => {
  const { invoke, define, lines } = await startPool(
    `export async function handler() {
      const channel = new BroadcastChannel('of this test');
      const told = new Promise((resolve) => { channel.onmessage = resolve; });
      console.log('begun');
      await told;
      channel.close();
      return 'old';
    }`,
    { workers: 1 },
  );
  const underWay = invoke();
  const waiting = invoke();
  await eventually(() => lines.includes('begun'));
  await define(`export const handler = () => 'new';`);
  const channel = new BroadcastChannel('of this test');
  channel.postMessage('go on');
  channel.close();
  expect(await Promise.all([underWay, waiting])).toEqual(['old', 'new']);
});

test('Results go through JSON, as on Lambda', async () => {
  const { invoke } = await startPool(
    `export const handler = ({ n }) => [undefined, { at: new Date(0), no: undefined }, Number.NaN, 1n][n];`,
  );
  expect(await invoke({ n: 0 })).toBe(null);
  expect(await invoke({ n: 1 })).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  expect(await invoke({ n: 2 })).toBe(null);
  await expect(invoke({ n: 3 })).rejects.toMatchObject({ errorType: 'TypeError' });
});

test('What ends an idle worker is shown, and the next event gets another one', async () => {
  const { invoke, lines } = await startPool(
    `export async function handler() {
      setTimeout(() => { throw new Error('nobody waits'); }, 20);
      return 'done';
    }`,
    { workers: 1 },
  );
  expect(await invoke()).toBe('done');
  await eventually(() => lines.some((line) => line.includes('nobody waits')));
  expect(await invoke()).toBe('done');
});

test('A pool that has stopped refuses events', async () => {
  const { invoke, stop } = await startPool(telling);
  await stop();
  await expect(invoke()).rejects.toThrow('The host is stopping.');
});
