import { BackgroundTurns } from './background-turns.ts';
import { unknownFunction } from './function-error.ts';
import type { FunctionWorker, Job } from './function-worker.ts';
import type { PoolLimits } from './pool-limits.ts';
import type { PooledFunction } from './pooled-function.ts';
import { WorkerSet } from './worker-set.ts';
import { WorkerStarter } from './worker-starter.ts';

/** Events handed to a worker together should not take longer than this: another worker might become free. */
const millisecondsTogether = 1;
const maxTogether = 16;

/** Hands waiting events to workers, and has workers started where events wait for too long. */
export class Dispatcher {
  readonly #limits: PoolLimits;
  readonly #functions: ReadonlyMap<string, PooledFunction>;
  readonly #workers: WorkerSet;
  /** Those that a new event came for in this turn of the event loop. */
  readonly #due = new Set<PooledFunction>();
  readonly #starter: WorkerStarter;
  readonly #background: BackgroundTurns<PooledFunction>;
  #stopped = false;

  /** `functions` are the current ones by name, whoever else changes them. */
  constructor(
    functions: ReadonlyMap<string, PooledFunction>,
    limits: PoolLimits,
    log: (functionName: string, line: string) => void,
  ) {
    this.#functions = functions;
    this.#limits = limits;
    this.#workers = new WorkerSet(limits);
    this.#starter = new WorkerStarter({
      limits,
      workers: this.#workers,
      log,
      isCurrent: (pooled) => this.#isCurrent(pooled),
      onGivenBack: (pooled, jobs) => this.#waitAgain(pooled.definition.name, jobs),
      onGone: () => this.dispatchAll(),
      onStarted: (pooled) => {
        if (this.#isCurrent(pooled)) {
          // Before others could take the place of its worker.
          this.#dispatch(pooled);
        }
        this.dispatchAll();
      },
    });
    this.#background = new BackgroundTurns(
      limits.backgroundAtOnce,
      limits.longBackgroundMilliseconds,
      (next) => {
        if (this.#isCurrent(next)) {
          this.#dispatch(next);
        }
      },
    );
  }

  /** At the end of this turn of the event loop, when all requests that came together are there. */
  dispatchSoon(pooled: PooledFunction): void {
    if (this.#due.size === 0) {
      setImmediate(() => {
        const due = [...this.#due];
        this.#due.clear();
        for (const pooled of due) {
          if (this.#isCurrent(pooled)) {
            this.#dispatch(pooled);
          }
        }
      });
    }
    this.#due.add(pooled);
  }

  /** Those that have waited longest for a worker come first: each gets one, however many functions there are. */
  dispatchAll(): void {
    for (const pooled of new Set([...this.#starter.waiting, ...this.#functions.values()])) {
      if (!this.#isCurrent(pooled)) {
        this.#starter.forget(pooled);
        continue;
      }
      this.#dispatch(pooled);
    }
  }

  /** Ends the idle workers of a function that is not current any more; others end when they are done. */
  retire(pooled: PooledFunction): void {
    for (const worker of pooled.workers) {
      if (this.#workers.isIdle(worker)) {
        this.#workers.end(worker);
      }
    }
  }

  /** Ends all workers. Events that still wait are refused. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const jobs = [...this.#functions.values()].flatMap((pooled) => pooled.waiting.takeAll());
    for (const { result } of jobs) {
      result.reject(hostStops());
    }
    await this.#workers.stop();
  }

  #dispatch(pooled: PooledFunction): void {
    if (this.#stopped || !this.#hasTurn(pooled)) {
      return;
    }
    for (const worker of pooled.workers) {
      if (pooled.waiting.length === 0 || !this.#hasTurn(pooled)) {
        break;
      }
      if (this.#workers.isIdle(worker)) {
        const together = Math.min(worker.eventsIn(millisecondsTogether), maxTogether);
        const jobs = pooled.waiting.take(Math.max(1, together), (caller) => this.#mayTake(pooled, caller));
        if (jobs.length > 0) {
          void this.#run(pooled, worker, jobs);
        }
      }
    }
    if (pooled.waiting.length === 0) {
      clearTimeout(pooled.scaleOut);
      pooled.scaleOut = undefined;
    } else if (pooled.workers.size === 0) {
      this.#starter.startIfPossible(pooled);
    } else {
      pooled.scaleOut ??= setTimeout(() => {
        pooled.scaleOut = undefined;
        if (!this.#stopped && this.#hasTurn(pooled)) {
          this.#starter.startIfPossible(pooled);
          this.#dispatch(pooled);
        }
      }, this.#limits.maxWaitMilliseconds);
    }
  }

  /** False while the function has to wait for the end of another's work that nobody waits for; then it is dispatched again. */
  #hasTurn(pooled: PooledFunction): boolean {
    return (
      !pooled.definition.inBackground || pooled.waiting.length === 0 || this.#background.isFreeFor(pooled)
    );
  }

  /** Where callers meet, none of them has all workers of the function: the last is kept for the others. */
  #mayTake({ waiting, workers }: PooledFunction, caller: string | undefined): boolean {
    if (!waiting.hasOtherCallers(caller, performance.now())) {
      return true;
    }
    const busy = [...workers].filter((worker) => worker.isBusyFor(caller)).length;
    return busy < Math.max(1, this.#limits.workersOfOneFunction - 1);
  }

  async #run(pooled: PooledFunction, worker: FunctionWorker, jobs: Job[]): Promise<void> {
    this.#workers.take(worker);
    const endTurn = pooled.definition.inBackground ? this.#background.begin() : undefined;
    await worker.run(jobs);
    if (!worker.ended) {
      if (!this.#isCurrent(pooled) || this.#isWantedElsewhere(pooled)) {
        this.#workers.end(worker);
      } else {
        this.#workers.release(worker);
      }
    }
    endTurn?.();
    if (worker.ended) {
      this.dispatchAll();
    } else {
      this.#dispatch(pooled);
    }
  }

  /** These wait for another worker, perhaps one with newer code. */
  #waitAgain(name: string, jobs: Job[]): void {
    const pooled = this.#functions.get(name);
    if (pooled === undefined || this.#stopped) {
      for (const { result } of jobs) {
        result.reject(pooled === undefined ? unknownFunction(name) : hostStops());
      }
      return;
    }
    pooled.waiting.putBack(jobs);
    this.#dispatch(pooled);
  }

  /** Whether the pool is full while another function waits without a worker. */
  #isWantedElsewhere(pooled: PooledFunction): boolean {
    if (!this.#workers.isFull) {
      return false;
    }
    return [...this.#starter.waiting].some(
      (other) =>
        other !== pooled &&
        this.#isCurrent(other) &&
        other.waiting.length > 0 &&
        other.workers.size === 0 &&
        this.#hasTurn(other),
    );
  }

  #isCurrent(pooled: PooledFunction): boolean {
    return this.#functions.get(pooled.definition.name) === pooled;
  }
}

const hostStops = () => new Error('The host is stopping.');
