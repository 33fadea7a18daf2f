import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setImmediate as eventLoopTurn, setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseProcess, kill } from './database-process.ts';

export interface WatchOptions {
  endpoint: string;
  first: DatabaseProcess;
  /** Starts it again at the same endpoint, with the same data. */
  startAgain(): Promise<DatabaseProcess | { problem: string }>;
  /** Takes a line for the log. */
  note(line: string): void;
  /** The database has ended for good; the message is for the person who started it. Called at most once. */
  lost(error: Error): void;
}

export interface DatabaseWatch {
  /** Whether there is any use in asking the database something: false while it hangs, and until it has started again. */
  isResponding(): boolean;
  /** Ends the database; resolves when it has ended. */
  stop(): Promise<void>;
}

/** Between two looks at whether it still answers, and how long it may take: it has nothing to look up for that. */
const pauseMilliseconds = 1000;
const answerMilliseconds = 1500;
/** A process that has something to do and does not compute for so long hangs. */
const idleMilliseconds = 500;
/** It is ended after so many looks without an answer. */
const maxMisses = 2;
/** After so many ends within a minute it is given up: trying again helps no more. */
const maxEnds = 5;
const minute = 60_000;

/**
 * Starts a database that ends, and one that hangs, again. A hanging one neither answers nor computes: one that only has much to do, such
 * as a scan of everything, is left alone. Where the system does not say what a process computes, hanging ones are left alone, too.
 */
export function watchDatabase({ endpoint, first, startAgain, note, lost }: WatchOptions): DatabaseWatch {
  const stopping = new AbortController();
  const { signal } = stopping;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let running = first;
  let isDown = false;
  let misses = 0;

  async function keepRunning(): Promise<void> {
    let ends: number[] = [];
    for (;;) {
      await running.ended;
      if (signal.aborted) {
        return;
      }
      isDown = true;
      const now = Date.now();
      ends = [...ends.filter((time) => now - time < minute), now];
      if (ends.length > maxEnds) {
        return lost(
          new Error(`The database ended ${ends.length} times within a minute and will not be started again.`),
        );
      }
      note('The database stopped and is being restarted');
      const next = await startAgain().catch((error: unknown) => ({
        problem: error instanceof Error ? error.message : String(error),
      }));
      if ('problem' in next) {
        if (!signal.aborted) {
          lost(new Error(`The database stopped and could not be restarted: ${next.problem}`));
        }
        return;
      }
      running = next;
      if (signal.aborted) {
        return;
      }
      misses = 0;
      isDown = false;
      note('The database is running again, with all its data');
    }
  }

  async function look(): Promise<void> {
    const { pid } = running;
    const isMissed = !(await answered(endpoint, agent, signal)) && (await isIdle(pid, signal));
    if (isDown || signal.aborted || running.pid !== pid) {
      return;
    }
    misses = isMissed ? misses + 1 : 0;
    if (misses === maxMisses) {
      isDown = true;
      note('The database no longer responds and is being stopped');
      kill(pid);
    }
  }

  async function lookAgainAndAgain(): Promise<void> {
    while (!signal.aborted) {
      await pause(pauseMilliseconds, signal);
      if (!signal.aborted) {
        await look();
      }
    }
  }

  const kept = keepRunning();
  const looking = lookAgainAndAgain();
  return {
    isResponding: () => !isDown && misses === 0,
    async stop() {
      stopping.abort();
      agent.destroy();
      // While one is being started, there may be one more to end.
      for (let ended: DatabaseProcess | undefined; ended !== running; ) {
        ended = running;
        await ended.stop();
        await Promise.all([kept, looking]);
      }
    },
  };
}

/** Ends early when there is nothing to wait for any more. Nothing goes on running for its sake. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}

/** Whether the database answers in time. */
async function answered(endpoint: string, agent: Agent, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const asking = request(endpoint, { agent }, (response) => {
    response.resume().on('end', () => resolve(true));
  });
  asking.on('error', () => resolve(false)).end();
  // This process may have been busy, or at a breakpoint: an answer that has come meanwhile counts.
  const late = pause(answerMilliseconds, signal).then(() => eventLoopTurn(false));
  const isAnswered = await Promise.race([promise, late]);
  asking.destroy();
  return isAnswered;
}

async function isIdle(pid: number, signal: AbortSignal): Promise<boolean> {
  const before = await computed(pid);
  await pause(idleMilliseconds, signal);
  return before !== undefined && before === (await computed(pid));
}

/** What the process has computed so far, in the system's own unit; undefined where the system does not say. */
async function computed(pid: number): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/stat`, 'latin1');
    // Behind the name, which may hold anything. Source: proc_pid_stat(5), fields 14 and 15.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}
