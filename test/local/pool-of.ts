import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { FunctionPool } from '../../infra/local/workers/function-pool.ts';

interface PoolSettings {
  /** The names under which the module runs. */
  readonly names?: readonly string[];
  readonly workers?: number;
  readonly seconds?: number;
  readonly handler?: string;
  /** More of the environment of a function. */
  environment?(name: string): Record<string, string>;
}

interface Pool {
  invoke(event?: unknown, name?: string, isAwaited?: boolean): Promise<unknown>;
  /** Runs this module from now on. */
  define(module: string): Promise<void>;
  stop(): Promise<void>;
  /** The printed lines of functions. */
  readonly lines: string[];
}

/** A pool that runs this module under each of the names; the environment of each has its `NAME`. */
export async function startPool(
  module: string,
  {
    names = ['one'],
    workers = 4,
    seconds = 30,
    handler = 'index.handler',
    environment = () => ({}),
  }: PoolSettings = {},
): Promise<Pool> {
  const root = await mkdtemp(join(tmpdir(), 'switchboard-pool-'));
  const lines: string[] = [];
  const pool = new FunctionPool({ workers, log: (_name, line) => lines.push(line) });
  onTestFinished(async () => {
    await pool.stop();
    await rm(root, { recursive: true });
  });
  const define = async (code: string) => {
    const directory = await mkdtemp(join(root, 'code-'));
    await writeFile(join(directory, 'index.mjs'), code);
    pool.define(
      names.map((name) => ({
        name,
        handler,
        code: { hash: directory, directory },
        environment: { NAME: name, ...environment(name) },
        timeoutSeconds: seconds,
        memoryMegabytes: 256,
      })),
    );
  };
  await define(module);
  const invoke: Pool['invoke'] = (event = {}, name = 'one', isAwaited = true) =>
    pool.invoke(name, event, isAwaited);
  return { invoke, define, stop: () => pool.stop(), lines };
}
