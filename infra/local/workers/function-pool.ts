import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { FunctionDefinition } from '../template/plan.ts';
import {
  FunctionError,
  maxRequestBytes,
  maxResponseBytes,
  RequestTooLarge,
  responseTooLarge,
  unknownFunction,
} from './function-error.ts';
import { FunctionWorker } from './function-worker.ts';

/** More workers than two cores have use for, because an event mostly waits for the database. */
const usualWorkers = Math.min(8, Math.max(4, availableParallelism()));

export interface FunctionPoolOptions {
  readonly workers?: number;
  log(functionName: string, line: string): void;
  /** Called after each event that a function has handled. */
  onSettled?(): void;
}

/** Events that somebody awaits, those that nobody awaits, and among these the ones whose function waits for addresses outside. */
type Kind = 'awaited' | 'other' | 'outside';

const stopping = () => new Error('The host is stopping.');

interface Job {
  readonly name: string;
  /** As JSON. */
  readonly event: string;
  readonly kind: Kind;
  readonly result: PromiseWithResolvers<string>;
}

/** Runs functions in worker threads that start when needed, each with one event at a time. */
export class FunctionPool {
  readonly #options: FunctionPoolOptions;
  readonly #most: number;
  #functions = new Map<string, FunctionDefinition>();
  #workers = new Set<FunctionWorker>();
  /** Workers that have loaded former versions of functions, and end with their event. */
  readonly #retired = new Set<FunctionWorker>();
  readonly #waiting: Record<Kind, Job[]> = { awaited: [], other: [], outside: [] };
  readonly #underWay: Record<Kind, number> = { awaited: 0, other: 0, outside: 0 };
  #hasStopped = false;

  constructor(options: FunctionPoolOptions) {
    this.#options = options;
    this.#most = options.workers ?? usualWorkers;
  }

  /** Replaces the functions by these. Events under way finish on the code that they began with. */
  define(definitions: readonly FunctionDefinition[]): void {
    const former = this.#functions;
    this.#functions = new Map(definitions.map((definition) => [definition.name, definition]));
    if (isDeepStrictEqual(former, this.#functions)) {
      return;
    }
    for (const worker of this.#workers) {
      this.#retire(worker);
    }
    this.#dispatch();
  }

  environmentOf(name: string): Record<string, string> {
    return this.#definition(name).environment;
  }

  /**
   * Resolves with the handler's result after a round trip through JSON; rejects with a FunctionError when the handler fails. Events that
   * nobody awaits get half of the workers and leave the other half, so that neither kind starves, however many of the other wait. So do
   * events whose function sends requests to the service and waits for them: the other half answers these. A function that posts to addresses
   * outside may wait for a silent one for long, and takes none of these workers: it gets another one, as many as its queue hands out.
   */
  async invoke(name: string, event: unknown, isAwaited = true): Promise<unknown> {
    const { environment } = this.#definition(name);
    if (this.#hasStopped) {
      throw stopping();
    }
    const isOther = !isAwaited || environment.OWN_REQUESTS !== undefined;
    const isOutside = !isAwaited && environment.OUTGOING_POSTS !== undefined;
    const kind = isOutside ? 'outside' : isOther ? 'other' : 'awaited';
    const job: Job = { name, event: JSON.stringify(event), kind, result: Promise.withResolvers() };
    if (Buffer.byteLength(job.event) > maxRequestBytes) {
      throw new RequestTooLarge();
    }
    this.#waiting[kind].push(job);
    this.#dispatch();
    try {
      const result = await job.result.promise;
      if (Buffer.byteLength(result) > maxResponseBytes) {
        throw responseTooLarge();
      }
      return JSON.parse(result);
    } catch (error) {
      if (error instanceof FunctionError && !this.#hasStopped) {
        this.#logError(name, error);
      }
      throw error;
    } finally {
      this.#options.onSettled?.();
    }
  }

  /** Ends all workers. Events that still wait are refused. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    for (const { result } of Object.values(this.#waiting).flatMap((jobs) => jobs.splice(0))) {
      result.reject(stopping());
    }
    await Promise.all([...this.#workers, ...this.#retired].map((worker) => worker.end()));
  }

  #dispatch(): void {
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      void this.#run(job);
    }
  }

  /** Takes the event that a worker can handle now. */
  #next(): Job | undefined {
    if (this.#hasStopped) {
      return undefined;
    }
    const { awaited, other, outside } = this.#waiting;
    const busy = [...this.#workers].filter(({ isBusy }) => isBusy).length;
    if (outside.length > 0 || busy - this.#underWay.outside >= this.#most) {
      return outside.shift();
    }
    const mayStartOther = this.#underWay.other < this.#most / 2;
    return (mayStartOther ? other.shift() : undefined) ?? awaited.shift();
  }

  async #run({ name, event, kind, result }: Job): Promise<void> {
    this.#underWay[kind] += 1;
    try {
      result.resolve(await this.#handle(name, event));
    } catch (error) {
      result.reject(error);
    }
    this.#underWay[kind] -= 1;
    this.#dispatch();
  }

  async #handle(name: string, event: string): Promise<string> {
    const definition = this.#definition(name);
    const worker = this.#workerFor(name);
    try {
      return await worker.handle(definition, event);
    } finally {
      if (worker.hasEnded) {
        this.#workers.delete(worker);
        this.#retired.delete(worker);
      } else if (this.#retired.has(worker)) {
        this.#retire(worker);
      }
    }
  }

  /** An idle worker, best one that has loaded the function; else a new one. */
  #workerFor(name: string): FunctionWorker {
    for (const worker of this.#workers) {
      if (worker.hasEnded && !worker.isBusy) {
        this.#workers.delete(worker);
      }
    }
    const idle = [...this.#workers].filter(({ isBusy }) => !isBusy);
    const found = idle.find((worker) => worker.hasLoaded(name)) ?? idle[0];
    if (found !== undefined) {
      return found;
    }
    const memory = Math.max(...[...this.#functions.values()].map(({ memoryMegabytes }) => memoryMegabytes));
    const worker = new FunctionWorker(memory, this.#options.log);
    this.#workers.add(worker);
    return worker;
  }

  /** Ends the worker, once it is idle. */
  #retire(worker: FunctionWorker): void {
    this.#workers.delete(worker);
    if (worker.isBusy) {
      this.#retired.add(worker);
    } else {
      this.#retired.delete(worker);
      void worker.end();
    }
  }

  #definition(name: string): FunctionDefinition {
    const definition = this.#functions.get(name);
    if (definition === undefined) {
      throw unknownFunction(name);
    }
    return definition;
  }

  #logError(name: string, { errorType, message, trace }: FunctionError): void {
    for (const line of trace.length > 0 ? trace : [`${errorType}: ${message}`]) {
      this.#options.log(name, line);
    }
  }
}
