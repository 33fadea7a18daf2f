import { isDeepStrictEqual } from 'node:util';
import type { FunctionDefinition } from '../template/plan.ts';
import { Dispatcher } from './dispatcher.ts';
import {
  FunctionError,
  maxRequestBytes,
  maxResponseBytes,
  RequestTooLarge,
  responseTooLarge,
  unknownFunction,
} from './function-error.ts';
import type { Job } from './function-worker.ts';
import { JobQueue } from './job-queue.ts';
import { isLonger, packed, unpacked } from './payload.ts';
import { type PoolLimits, usualPoolLimits } from './pool-limits.ts';
import type { PooledFunction } from './pooled-function.ts';

export interface FunctionPoolOptions {
  /** The usual limits if absent. */
  readonly limits?: PoolLimits;
  log(functionName: string, line: string): void;
  /** Called after each event that a function has handled. */
  onSettled(): void;
}

/** Runs functions in worker threads that start when needed, each with one event at a time. */
export class FunctionPool {
  readonly #options: FunctionPoolOptions;
  readonly #functions = new Map<string, PooledFunction>();
  readonly #dispatcher: Dispatcher;

  constructor(options: FunctionPoolOptions) {
    this.#options = options;
    const limits = options.limits ?? usualPoolLimits;
    this.#dispatcher = new Dispatcher(this.#functions, limits, (name, line) => options.log(name, line));
  }

  /**
   * Replaces the functions by these. A function that stays the same keeps its workers; events under way finish on the code that they began
   * with.
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
      const waiting = pooled?.waiting ?? new JobQueue();
      if (pooled) {
        // Workers of the former version that are still starting neither take nor fail these events.
        pooled.waiting = new JobQueue();
        this.#dispatcher.retire(pooled);
      }
      this.#functions.set(definition.name, {
        definition,
        waiting,
        workers: new Set(),
        isStarting: false,
        scaleOut: undefined,
      });
    }
    for (const pooled of former.values()) {
      for (const { result } of pooled.waiting.takeAll()) {
        result.reject(unknownFunction(pooled.definition.name));
      }
      this.#dispatcher.retire(pooled);
    }
    this.#dispatcher.dispatchAll();
  }

  environmentOf(name: string): Record<string, string> {
    return this.#pooled(name).definition.environment;
  }

  /**
   * Resolves with the handler's result after a round trip through JSON; rejects with a FunctionError when the handler fails. Callers whose
   * events wait for the same function take turns.
   */
  async invoke(name: string, event: unknown, caller?: string): Promise<unknown> {
    const pooled = this.#pooled(name);
    const payload = packed(event);
    if (isLonger(payload, maxRequestBytes)) {
      throw new RequestTooLarge();
    }
    const job: Job = { event: payload, result: Promise.withResolvers(), caller };
    pooled.waiting.add(job, performance.now());
    this.#dispatcher.dispatchSoon(pooled);
    try {
      const result = await job.result.promise;
      if (isLonger(result, maxResponseBytes)) {
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

  stop(): Promise<void> {
    return this.#dispatcher.stop();
  }

  #pooled(name: string): PooledFunction {
    const pooled = this.#functions.get(name);
    if (!pooled) {
      throw unknownFunction(name);
    }
    return pooled;
  }

  #logError(name: string, { errorType, message, trace }: FunctionError): void {
    const lines = trace.length > 0 ? trace : [`${errorType}: ${message}`];
    for (const line of lines) {
      this.#options.log(name, line);
    }
  }
}

/** Compares the code, not its folder. */
function sameFunction(one: FunctionDefinition, other: FunctionDefinition): boolean {
  const withoutDirectory = ({ code, ...rest }: FunctionDefinition) => ({ ...rest, hash: code.hash });
  return isDeepStrictEqual(withoutDirectory(one), withoutDirectory(other));
}
