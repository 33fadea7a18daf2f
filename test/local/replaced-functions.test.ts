import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FunctionPool } from '../../infra/local/workers/functions.ts';
import { eventually } from '../harness/eventually.ts';
import { goOn } from './pool-of.ts';

const former = `
  console.log('The former version is loaded');
  throw new Error('It does not load');
`;

const next = `
  const channel = new BroadcastChannel('of this test');
  await new Promise((resolve) => { channel.onmessage = resolve; });
  channel.close();
  export const handler = () => 'new';
`;

test('A former version that does not load fails no event that waits for the new one', async () => {
  const root = await mkdtemp(join(tmpdir(), 'switchboard-replaced-'));
  const lines: string[] = [];
  const pool = new FunctionPool({ log: (_name, line) => lines.push(line), onSettled: () => undefined });
  onTestFinished(async () => {
    await pool.stop();
    await rm(root, { recursive: true });
  });
  for (const [version, module] of Object.entries({ former, next })) {
    await mkdir(join(root, version));
    await writeFile(join(root, version, 'index.mjs'), module);
  }
  const define = (hash: string) => {
    const limits = { timeoutSeconds: 30, memoryMegabytes: 256 };
    const code = { hash, directory: join(root, hash) };
    pool.define([{ name: 'one', handler: 'index.handler', code, environment: {}, ...limits }]);
  };
  define('former');
  let answered: unknown;
  void pool.invoke('one', {}).then(
    (answer) => {
      answered = answer;
    },
    (error: unknown) => {
      answered = error;
    },
  );
  // The former version begins to load at the end of this turn.
  await new Promise(setImmediate);
  define('next');
  await eventually(() => lines.includes('The former version is loaded'));
  await eventually(() => {
    goOn();
    return answered !== undefined;
  });
  expect(answered).toBe('new');
});
