import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import {
  FunctionError,
  mostRequestBytes,
  mostResponseBytes,
  RequestTooLarge,
  responseTooLarge,
  unknownFunction,
} from './function-error.ts';
import { FunctionWorker, type Job } from './function-worker.ts';
import { isLonger, packed, unpacked } from './payload.ts';
import type { FunctionDefinition } from './plan.ts';
import { type PoolLimits, usualPoolLimits } from './pool-limits.ts';
import { WorkerSet } from './worker-set.ts';

/** Events handed to a worker together should not take longer than this: another worker might become free. */
const millisecondsTogether = 1;
const mostTogether = 16;

/** One function: the events that wait for it and the workers that run it. */
interface PooledFunction {
  definition: FunctionDefinition;
  waiting: Job[];
  workers: Set<FunctionWorker>;
  isStarting: boolean;
  /** Runs while events wait for a busy worker. */
  patience: NodeJS.Timeout | undefined;
}

export interface FunctionPoolOptions {
  /** The usual ones unless stated. */
  readonly limits?: PoolLimits;
  log(functionName: string, line: string): void;
  /** Called after each event that a function has handled. */
  onSettled(): void;
}

/** Runs functions in worker threads that start when needed, each with one event at a time. */
export class FunctionPool {
  readonly #options: FunctionPoolOptions;
  readonly #limits: PoolLimits;
  readonly #functions = new Map<string, PooledFunction>();
  readonly #workers: WorkerSet;
  /** Those that a new event came for in this turn of the event loop. */
  readonly #due = new Set<PooledFunction>();
  #starting = 0;
  #stopped = false;

  constructor(options: FunctionPoolOptions) {
    this.#options = options;
    this.#limits = options.limits ?? usualPoolLimits;
    this.#workers = new WorkerSet(this.#limits);
  }

  /**
   * Puts these functions in the place of the former ones. A function that stays the same keeps its workers; events
   * under way end with the code that they began with.
   */
  define(definitions: FunctionDefinition[]): void {
    const former = new Map(this.#functions);
    this.#functions.clear();
    for (const definition of definitions) {
      const pooled = former.get(definition.name);
      former.delete(definition.name);
      if (pooled && sameFunction(pooled.definition, definition)) {
        pooled.definition = definition;
        this.#functions.set(definition.name, pooled);
        continue;
      }
      const waiting = pooled?.waiting.splice(0) ?? [];
      if (pooled) {
        this.#retire(pooled);
      }
      this.#functions.set(definition.name, {
        definition,
        waiting,
        workers: new Set(),
        isStarting: false,
        patience: undefined,
      });
    }
    for (const pooled of former.values()) {
      for (const { answer } of pooled.waiting.splice(0)) {
        answer.reject(unknownFunction(pooled.definition.name));
      }
      this.#retire(pooled);
    }
    this.#dispatchAll();
  }

  environmentOf(name: string): Record<string, string> {
    return this.#pooled(name).definition.environment;
  }

  /** Resolves with the handler's result after a round trip through JSON; rejects with a FunctionError when it failed. */
  async invoke(name: string, event: unknown): Promise<unknown> {
    const pooled = this.#pooled(name);
    const payload = packed(event);
    if (isLonger(payload, mostRequestBytes)) {
      throw new RequestTooLarge();
    }
    const job: Job = { event: payload, answer: Promise.withResolvers() };
    pooled.waiting.push(job);
    this.#dispatchSoon(pooled);
    try {
      const result = await job.answer.promise;
      if (isLonger(result, mostResponseBytes)) {
        throw responseTooLarge();
      }
      return unpacked(result);
    } catch (error) {
      if (error instanceof FunctionError) {
        this.#logError(name, error);
      }
      throw error;
    } finally {
      this.#options.onSettled();
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const jobs = [...this.#functions.values()].flatMap((pooled) => pooled.waiting.splice(0));
    for (const { answer } of jobs) {
      answer.reject(hostStops());
    }
    await this.#workers.stop();
  }

  #pooled(name: string): PooledFunction {
    const pooled = this.#functions.get(name);
    if (!pooled) {
      throw unknownFunction(name);
    }
    return pooled;
  }

  /** At the end of this turn of the event loop, when all requests that came together are there. */
  #dispatchSoon(pooled: PooledFunction): void {
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

  #dispatchAll(): void {
    for (const pooled of this.#functions.values()) {
      this.#dispatch(pooled);
    }
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
        const together = Math.min(worker.eventsIn(millisecondsTogether), mostTogether);
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
      worker = new FunctionWorker(pooled.definition, (line) => this.#options.log(name, line));
      this.#workers.add(worker, pooled.workers);
      worker.on('givenBack', (jobs) => this.#waitAgain(name, jobs));
      worker.once('gone', () => this.#dispatchAll());
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
      this.#dispatchAll();
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

  #retire(pooled: PooledFunction): void {
    for (const worker of pooled.workers) {
      if (this.#workers.isIdle(worker)) {
        this.#workers.end(worker);
      }
    }
  }

  #isCurrent(pooled: PooledFunction): boolean {
    return this.#functions.get(pooled.definition.name) === pooled;
  }

  #logError(name: string, { errorType, message, trace }: FunctionError): void {
    const lines = trace.length > 0 ? trace : [`${errorType}: ${message}`];
    for (const line of lines) {
      this.#options.log(name, line);
    }
  }
}

const hostStops = () => new Error('The host is stopping.');

/** Compares the code, not the folder that it lies in. */
function sameFunction(one: FunctionDefinition, other: FunctionDefinition): boolean {
  const withoutDirectory = ({ code, ...rest }: FunctionDefinition) => ({ ...rest, hash: code.hash });
  return isDeepStrictEqual(withoutDirectory(one), withoutDirectory(other));
}
