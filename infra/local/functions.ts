import { isDeepStrictEqual } from 'node:util';
import { FunctionError, FunctionWorker } from './function-worker.ts';
import type { FunctionDefinition } from './plan.ts';

/** Lambda takes and gives 6 MB of JSON; an answer may be a little longer because of its envelope. */
const mostRequestBytes = 6_291_456;
const mostResponseBytes = 6_291_556;

/** Of all functions together: the idle worker that has rested longest ends when one more would be too many. */
const mostWorkers = 24;
const mostWorkersOfOneFunction = 8;

interface Job {
  event: string;
  answer: PromiseWithResolvers<string>;
}

/** One function: the events that wait for it and the workers that run it. */
interface PooledFunction {
  definition: FunctionDefinition;
  waiting: Job[];
  workers: Set<FunctionWorker>;
  isStarting: boolean;
}

export interface FunctionPoolOptions {
  log(functionName: string, line: string): void;
  /** Called after each event that a function has handled. */
  onSettled(): void;
}

/** Runs functions in worker threads that start when needed, each with one event at a time. */
export class FunctionPool {
  readonly #options: FunctionPoolOptions;
  readonly #functions = new Map<string, PooledFunction>();
  /** Every idle worker, the one that has rested longest first. */
  readonly #idle = new Map<FunctionWorker, PooledFunction>();
  /** Every worker, also those of functions that have since been replaced. */
  readonly #workers = new Set<FunctionWorker>();
  #stopped = false;

  constructor(options: FunctionPoolOptions) {
    this.#options = options;
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
      this.#functions.set(definition.name, { definition, waiting, workers: new Set(), isStarting: false });
    }
    for (const pooled of former.values()) {
      for (const { answer } of pooled.waiting.splice(0)) {
        answer.reject(unknownFunction(pooled.definition.name));
      }
      this.#retire(pooled);
    }
    for (const pooled of this.#functions.values()) {
      this.#dispatch(pooled);
    }
  }

  environmentOf(name: string): Record<string, string> {
    return this.#pooled(name).definition.environment;
  }

  /** Resolves with the handler's result after a round trip through JSON; rejects with a FunctionError when it failed. */
  async invoke(name: string, event: unknown): Promise<unknown> {
    const pooled = this.#pooled(name);
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > mostRequestBytes) {
      throw new RequestTooLarge();
    }
    const job: Job = { event: text, answer: Promise.withResolvers() };
    pooled.waiting.push(job);
    this.#dispatch(pooled);
    try {
      const payload = await job.answer.promise;
      if (Buffer.byteLength(payload) > mostResponseBytes) {
        throw responseTooLarge();
      }
      return JSON.parse(payload);
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
      answer.reject(new Error('The host is stopping.'));
    }
    await Promise.all([...this.#workers].map((worker) => worker.end()));
  }

  #pooled(name: string): PooledFunction {
    const pooled = this.#functions.get(name);
    if (!pooled) {
      throw unknownFunction(name);
    }
    return pooled;
  }

  #dispatch(pooled: PooledFunction): void {
    if (this.#stopped) {
      return;
    }
    for (const worker of [...pooled.workers].filter((worker) => this.#idle.has(worker))) {
      const job = pooled.waiting.shift();
      if (!job) {
        return;
      }
      void this.#run(pooled, worker, job);
    }
    // Workers start one after the other: many at once would not help a busy machine.
    if (pooled.waiting.length === 0 || pooled.isStarting) {
      return;
    }
    if (pooled.workers.size >= mostWorkersOfOneFunction) {
      return;
    }
    if (this.#workers.size >= mostWorkers && !this.#endLongestIdle()) {
      return;
    }
    void this.#start(pooled);
  }

  #endLongestIdle(): boolean {
    const [longest] = this.#idle;
    if (!longest) {
      return false;
    }
    const [worker, pooled] = longest;
    this.#end(worker, pooled);
    return true;
  }

  async #start(pooled: PooledFunction): Promise<void> {
    pooled.isStarting = true;
    let worker: FunctionWorker | undefined;
    try {
      const { name } = pooled.definition;
      worker = new FunctionWorker(pooled.definition, (line) => this.#options.log(name, line));
      pooled.workers.add(worker);
      this.#workers.add(worker);
      const started = worker;
      worker.once('gone', () => {
        this.#forget(started, pooled);
        for (const other of this.#functions.values()) {
          this.#dispatch(other);
        }
      });
      await worker.ready;
      this.#idle.set(worker, pooled);
    } catch (error) {
      pooled.waiting.shift()?.answer.reject(error);
      if (worker) {
        this.#end(worker, pooled);
      }
    } finally {
      pooled.isStarting = false;
      if (this.#isCurrent(pooled)) {
        this.#dispatch(pooled);
      } else if (worker) {
        this.#end(worker, pooled);
      }
    }
  }

  async #run(pooled: PooledFunction, worker: FunctionWorker, { event, answer }: Job): Promise<void> {
    this.#idle.delete(worker);
    try {
      answer.resolve(await worker.run(event));
    } catch (error) {
      answer.reject(error);
    }
    if (worker.ended) {
      return;
    }
    if (!this.#isCurrent(pooled) || this.#isWantedElsewhere(pooled)) {
      this.#end(worker, pooled);
      return;
    }
    this.#idle.set(worker, pooled);
    this.#dispatch(pooled);
  }

  /** Whether the pool is full while another function waits without a worker. */
  #isWantedElsewhere(pooled: PooledFunction): boolean {
    if (this.#workers.size < mostWorkers) {
      return false;
    }
    return [...this.#functions.values()].some(
      (other) => other !== pooled && other.waiting.length > 0 && other.workers.size === 0,
    );
  }

  #retire(pooled: PooledFunction): void {
    for (const worker of pooled.workers) {
      if (this.#idle.has(worker)) {
        this.#end(worker, pooled);
      }
    }
  }

  #end(worker: FunctionWorker, pooled: PooledFunction): void {
    this.#forget(worker, pooled);
    void worker.end();
  }

  #forget(worker: FunctionWorker, pooled: PooledFunction): void {
    this.#idle.delete(worker);
    pooled.workers.delete(worker);
    this.#workers.delete(worker);
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

/** The event is longer than a function can be given. */
export class RequestTooLarge extends Error {}

function responseTooLarge(): FunctionError {
  return new FunctionError({
    errorType: 'Function.ResponseSizeTooLarge',
    errorMessage: `Response payload size exceeded maximum allowed payload size (${mostResponseBytes} bytes).`,
    trace: [],
  });
}

function unknownFunction(name: string): Error {
  return new Error(`There is no function ${name}.`);
}

/** Compares the code, not the folder that it lies in. */
function sameFunction(one: FunctionDefinition, other: FunctionDefinition): boolean {
  const withoutDirectory = ({ code, ...rest }: FunctionDefinition) => ({ ...rest, hash: code.hash });
  return isDeepStrictEqual(withoutDirectory(one), withoutDirectory(other));
}
