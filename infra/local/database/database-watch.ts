import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setImmediate as eventLoopTurn, setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseProcess, kill } from './database-process.ts';

export interface WatchOptions {
  endpoint: string;
  first: DatabaseProcess;
  /** Starts the database again at the same endpoint, with the same data. */
  startAgain(): Promise<DatabaseProcess | { problem: string }>;
  /** Takes a line for the log. */
  note(line: string): void;
  /** Called at most once, when the database has ended for good. The message is for the person who started the host. */
  lost(error: Error): void;
}

export interface DatabaseWatch {
  /** Whether the database can take requests: false while it hangs, and until it has started again. */
  isResponding(): boolean;
  /** Ends the database; resolves when it has ended. */
  stop(): Promise<void>;
}

/** The pause between two checks, and how long the response to one may take; the database has nothing to look up for it. */
const pauseMilliseconds = 1000;
const responseMilliseconds = 1500;
/** A process that has not responded, and uses no processor time for this long, hangs. */
const idleMilliseconds = 500;
/** The database is killed after this many checks without a response. */
const maxMisses = 2;
/** A database that ends more often than this within a minute is not started again. */
const maxEnds = 5;
const minute = 60_000;

/**
 * Restarts a database that ends or hangs. A hanging one neither responds nor uses processor time; one that is merely busy, such as with a
 * scan of everything, is left alone. Where the system does not tell the processor time of a process, hanging ones are left alone, too.
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

  async function check(): Promise<void> {
    const { pid } = running;
    const isMissed = !(await responds(endpoint, agent, signal)) && (await isIdle(pid, signal));
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

  async function keepChecking(): Promise<void> {
    while (!signal.aborted) {
      await pause(pauseMilliseconds, signal);
      if (!signal.aborted) {
        await check();
      }
    }
  }

  const restarting = keepRunning();
  const checking = keepChecking();
  return {
    isResponding: () => !isDown && misses === 0,
    async stop() {
      stopping.abort();
      agent.destroy();
      // A database that is being started meanwhile has to be stopped, too.
      for (let ended: DatabaseProcess | undefined; ended !== running; ) {
        ended = running;
        await ended.stop();
        await Promise.all([restarting, checking]);
      }
    },
  };
}

/** Ends early when the signal is aborted. Does not keep the process alive. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}

/** Whether the database responds in time. */
async function responds(endpoint: string, agent: Agent, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const asking = request(endpoint, { agent }, (response) => {
    response.resume().on('end', () => resolve(true));
  });
  asking.on('error', () => resolve(false)).end();
  // This process may have been busy, or at a breakpoint: a response that has arrived meanwhile counts.
  const late = pause(responseMilliseconds, signal).then(() => eventLoopTurn(false));
  const hasResponded = await Promise.race([promise, late]);
  asking.destroy();
  return hasResponded;
}

async function isIdle(pid: number, signal: AbortSignal): Promise<boolean> {
  const before = await computed(pid);
  await pause(idleMilliseconds, signal);
  return before !== undefined && before === (await computed(pid));
}

/** The processor time of the process so far, in the system's own unit; undefined where the system does not tell it. */
async function computed(pid: number): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The fields follow the name, which may contain anything. Source: proc_pid_stat(5), fields 14 and 15.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}
