import { BackgroundTurns } from './background-turns.ts';
import { unknownFunction } from './function-error.ts';
import type { FunctionWorker, Job } from './function-worker.ts';
import type { PoolLimits } from './pool-limits.ts';
import type { PooledFunction } from './pooled-function.ts';
import { WorkerSet } from './worker-set.ts';
import { WorkerStarter } from './worker-starter.ts';

/** Events that a worker gets together should take no longer than this, because another worker might become free. */
const millisecondsTogether = 1;
const maxTogether = 16;

/** Gives waiting events to workers, and starts workers where events wait for too long. */
export class Dispatcher {
  readonly #limits: PoolLimits;
  readonly #functions: ReadonlyMap<string, PooledFunction>;
  readonly #workers: WorkerSet;
  /** The functions that got a new event in this turn of the event loop. */
  readonly #due = new Set<PooledFunction>();
  readonly #starter: WorkerStarter;
  readonly #background: BackgroundTurns<PooledFunction>;
  #stopped = false;

  /** `functions` are the current functions by name; the map may change later. */
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
          // Before another function could take the place of its worker.
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

  /** Dispatches at the end of this turn of the event loop, once all requests that arrive together are there. */
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

  /** Dispatches all functions. Those that have waited longest for a worker come first, so that each gets one in the end. */
  dispatchAll(): void {
    for (const pooled of new Set([...this.#starter.waiting, ...this.#functions.values()])) {
      if (!this.#isCurrent(pooled)) {
        this.#starter.forget(pooled);
        continue;
      }
      this.#dispatch(pooled);
    }
  }

  /** Ends the idle workers of a function that is no longer current; the others end when they are done. */
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

  /** False while a background function has to wait for another one to finish; then it is dispatched again. */
  #hasTurn(pooled: PooledFunction): boolean {
    return (
      !pooled.definition.inBackground || pooled.waiting.length === 0 || this.#background.isFreeFor(pooled)
    );
  }

  /** When several callers use a function, none of them gets its last worker. */
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

  /** Makes events wait for another worker, perhaps one with newer code. */
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
