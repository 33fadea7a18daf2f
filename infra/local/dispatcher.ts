import { availableParallelism } from 'node:os';
import { unknownFunction } from './function-error.ts';
import { FunctionWorker, type Job } from './function-worker.ts';
import type { FunctionDefinition } from './plan.ts';
import type { PoolLimits } from './pool-limits.ts';
import { WorkerSet } from './worker-set.ts';

/** Events handed to a worker together should not take longer than this: another worker might become free. */
const millisecondsTogether = 1;
const maxTogether = 16;

/** One function: the events that wait for it and the workers that run it. */
export interface PooledFunction {
  definition: FunctionDefinition;
  waiting: Job[];
  workers: Set<FunctionWorker>;
  isStarting: boolean;
  /** Runs while events wait for a busy worker. */
  patience: NodeJS.Timeout | undefined;
}

/** Hands waiting events to workers, and starts workers where events wait for too long. */
export class Dispatcher {
  readonly #limits: PoolLimits;
  readonly #functions: ReadonlyMap<string, PooledFunction>;
  readonly #log: (functionName: string, line: string) => void;
  readonly #workers: WorkerSet;
  /** Those that a new event came for in this turn of the event loop. */
  readonly #due = new Set<PooledFunction>();
  #starting = 0;
  #stopped = false;

  /** `functions` are the current ones by name, whoever else changes them. */
  constructor(
    functions: ReadonlyMap<string, PooledFunction>,
    limits: PoolLimits,
    log: (functionName: string, line: string) => void,
  ) {
    this.#functions = functions;
    this.#limits = limits;
    this.#log = log;
    this.#workers = new WorkerSet(limits);
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

  dispatchAll(): void {
    for (const pooled of this.#functions.values()) {
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
    const jobs = [...this.#functions.values()].flatMap((pooled) => pooled.waiting.splice(0));
    for (const { answer } of jobs) {
      answer.reject(hostStops());
    }
    await this.#workers.stop();
  }

  #dispatch(pooled: PooledFunction): void {
    if (this.#stopped) {
      return;
    }
    for (const worker of pooled.workers) {
      if (pooled.waiting.length === 0) {
        break;
      }
      if (this.#workers.isIdle(worker)) {
        const together = Math.min(worker.eventsIn(millisecondsTogether), maxTogether);
        void this.#run(pooled, worker, pooled.waiting.splice(0, Math.max(1, together)));
      }
    }
    if (pooled.waiting.length === 0) {
      clearTimeout(pooled.patience);
      pooled.patience = undefined;
    } else if (pooled.workers.size === 0) {
      this.#startIfPossible(pooled);
    } else {
      pooled.patience ??= setTimeout(() => {
        pooled.patience = undefined;
        this.#startIfPossible(pooled);
        this.#dispatch(pooled);
      }, this.#limits.patienceMilliseconds);
    }
  }

  #startIfPossible(pooled: PooledFunction): void {
    if (this.#stopped || pooled.waiting.length === 0 || pooled.isStarting) {
      return;
    }
    // More starts at once than cores would only make all of them slow, until some took too long.
    if (this.#starting >= availableParallelism()) {
      return;
    }
    if (
      pooled.workers.size < this.#limits.workersOfOneFunction &&
      (!this.#workers.isFull || this.#workers.makeRoom(pooled.workers.size === 0))
    ) {
      void this.#start(pooled);
    }
  }

  async #start(pooled: PooledFunction): Promise<void> {
    pooled.isStarting = true;
    this.#starting += 1;
    let worker: FunctionWorker | undefined;
    try {
      const { name } = pooled.definition;
      worker = new FunctionWorker(pooled.definition, (line) => this.#log(name, line));
      this.#workers.add(worker, pooled.workers);
      worker.on('givenBack', (jobs) => this.#waitAgain(name, jobs));
      worker.once('gone', () => this.dispatchAll());
      await worker.ready;
      this.#workers.rest(worker);
    } catch (error) {
      pooled.waiting.shift()?.answer.reject(error);
      if (worker) {
        this.#workers.end(worker);
      }
    } finally {
      pooled.isStarting = false;
      this.#starting -= 1;
      if (worker && !this.#isCurrent(pooled)) {
        this.#workers.end(worker);
      }
      this.dispatchAll();
    }
  }

  async #run(pooled: PooledFunction, worker: FunctionWorker, jobs: Job[]): Promise<void> {
    this.#workers.take(worker);
    await worker.run(jobs);
    if (worker.ended) {
      return;
    }
    if (!this.#isCurrent(pooled) || this.#isWantedElsewhere(pooled)) {
      this.#workers.end(worker);
      return;
    }
    this.#workers.rest(worker);
    this.#dispatch(pooled);
  }

  /** These wait for another worker, perhaps one with newer code. */
  #waitAgain(name: string, jobs: Job[]): void {
    const pooled = this.#functions.get(name);
    if (pooled === undefined || this.#stopped) {
      for (const { answer } of jobs) {
        answer.reject(pooled === undefined ? unknownFunction(name) : hostStops());
      }
      return;
    }
    pooled.waiting.unshift(...jobs);
    this.#dispatch(pooled);
  }

  /** Whether the pool is full while another function waits without a worker. */
  #isWantedElsewhere(pooled: PooledFunction): boolean {
    if (!this.#workers.isFull) {
      return false;
    }
    return [...this.#functions.values()].some(
      (other) => other !== pooled && other.waiting.length > 0 && other.workers.size === 0,
    );
  }

  #isCurrent(pooled: PooledFunction): boolean {
    return this.#functions.get(pooled.definition.name) === pooled;
  }
}

const hostStops = () => new Error('The host is stopping.');
