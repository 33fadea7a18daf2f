import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { FunctionDefinition } from '../../infra/local/template/plan.ts';
import { FunctionPool } from '../../infra/local/workers/functions.ts';
import { type PoolLimits, usualPoolLimits } from '../../infra/local/workers/pool-limits.ts';

interface Pool {
  invoke(event?: unknown, name?: string, caller?: string): Promise<unknown>;
  /** The printed lines of functions. */
  readonly lines: string[];
}

/** A pool that runs this module under each of the names; those in `background` are background functions. */
export async function poolOf(
  module: string,
  {
    names = ['one'],
    background = [],
    seconds = 30,
    ...limits
  }: Partial<PoolLimits> & { names?: string[]; background?: string[]; seconds?: number } = {},
): Promise<Pool> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-pool-'));
  await writeFile(join(directory, 'index.mjs'), module);
  const lines: string[] = [];
  const pool = new FunctionPool({
    limits: { ...usualPoolLimits, ...limits },
    log: (_name, line) => lines.push(line),
    onSettled: () => undefined,
  });
  onTestFinished(async () => {
    await pool.stop();
    await rm(directory, { recursive: true });
  });
  pool.define(
    [...names, ...background].map(
      (name): FunctionDefinition => ({
        name,
        handler: 'index.handler',
        code: { hash: directory, directory },
        environment: {},
        timeoutSeconds: seconds,
        memoryMegabytes: 256,
        inBackground: background.includes(name),
      }),
    ),
  );
  return { invoke: (event = {}, name = 'one', caller) => pool.invoke(name, event, caller), lines };
}

/** A module that answers with its thread, and waits for what an event says. */
export const waiting = `
  import { threadId } from 'node:worker_threads';
  const channel = new BroadcastChannel('of this test');
  let go;
  channel.onmessage = () => go?.();
  channel.unref();
  let inside = 0, most = 0;
  export async function handler({ wait }) {
    inside += 1;
    most = Math.max(most, inside);
    if (wait) {
      channel.ref();
      await new Promise((resolve) => { go = resolve; });
      channel.unref();
    }
    inside -= 1;
    return { threadId, most };
  }
`;

/** Lets those go on that wait. */
export function goOn(): void {
  const channel = new BroadcastChannel('of this test');
  channel.postMessage('go');
  channel.close();
}
