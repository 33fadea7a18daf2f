import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { FunctionError, FunctionWorker } from './function-worker.ts';
import { account, region } from './intrinsics.ts';
import { unlessDebugged } from './time-limit.ts';
import type { InvocationContext } from './worker-protocol.ts';

export { FunctionError } from './function-worker.ts';

/** A function as its template has it, under its physical name. */
export interface FunctionDefinition {
  name: string;
  /** For example `index.handler`. */
  handler: string;
  code: { hash: string; directory: string };
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMegabytes: number;
}

/** Lambda takes and gives 6 MB of JSON; an answer may be a little longer because of its envelope. */
const mostRequestBytes = 6_291_456;
const mostResponseBytes = 6_291_556;

interface Job {
  event: string;
  answer: PromiseWithResolvers<string>;
}

/** One function: the events that wait for it and the workers that run it. */
interface Lane {
  definition: FunctionDefinition;
  waiting: Job[];
  workers: Set<FunctionWorker>;
  starting: number;
}

export interface FunctionPoolOptions {
  /** Ends the idle worker that has rested longest when one more would be too many. */
  mostWorkers: number;
  mostWorkersOfOneFunction: number;
  log(functionName: string, line: string): void;
  /** Called after each event that a function has handled. */
  onSettled(): void;
}

/** Runs functions in worker threads that start when needed, each with one event at a time. */
export class FunctionPool {
  readonly #options: FunctionPoolOptions;
  readonly #lanes = new Map<string, Lane>();
  /** Every idle worker, the one that has rested longest first. */
  readonly #idle = new Map<FunctionWorker, Lane>();
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
    const former = new Map(this.#lanes);
    this.#lanes.clear();
    for (const definition of definitions) {
      const lane = former.get(definition.name);
      former.delete(definition.name);
      if (lane && sameFunction(lane.definition, definition)) {
        lane.definition = definition;
        this.#lanes.set(definition.name, lane);
        continue;
      }
      const waiting = lane?.waiting.splice(0) ?? [];
      if (lane) {
        this.#retire(lane);
      }
      this.#lanes.set(definition.name, { definition, waiting, workers: new Set(), starting: 0 });
    }
    for (const lane of former.values()) {
      for (const { answer } of lane.waiting.splice(0)) {
        answer.reject(unknownFunction(lane.definition.name));
      }
      this.#retire(lane);
    }
    for (const lane of this.#lanes.values()) {
      this.#dispatch(lane);
    }
  }

  environmentOf(name: string): Record<string, string> {
    return this.#lane(name).definition.environment;
  }

  /** Resolves with what the handler returned, as JSON has it; rejects with a FunctionError when it failed. */
  async invoke(name: string, event: unknown): Promise<unknown> {
    const lane = this.#lane(name);
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > mostRequestBytes) {
      throw new RequestTooLarge();
    }
    const job: Job = { event: text, answer: Promise.withResolvers() };
    lane.waiting.push(job);
    this.#dispatch(lane);
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
    const jobs = [...this.#lanes.values()].flatMap((lane) => lane.waiting.splice(0));
    for (const { answer } of jobs) {
      answer.reject(new Error('The host is stopping.'));
    }
    await Promise.all([...this.#workers].map((worker) => worker.end()));
  }

  #lane(name: string): Lane {
    const lane = this.#lanes.get(name);
    if (!lane) {
      throw unknownFunction(name);
    }
    return lane;
  }

  #dispatch(lane: Lane): void {
    if (this.#stopped) {
      return;
    }
    for (const worker of [...lane.workers].filter((worker) => this.#idle.has(worker))) {
      const job = lane.waiting.shift();
      if (!job) {
        return;
      }
      void this.#run(lane, worker, job);
    }
    // Waiting events call for workers one after the other: a busy machine is not helped by many that start at once.
    if (lane.waiting.length === 0 || lane.starting > 0) {
      return;
    }
    if (lane.workers.size >= this.#options.mostWorkersOfOneFunction) {
      return;
    }
    if (this.#workers.size >= this.#options.mostWorkers && !this.#endLongestIdle()) {
      return;
    }
    void this.#start(lane);
  }

  #endLongestIdle(): boolean {
    const [longest] = this.#idle;
    if (!longest) {
      return false;
    }
    const [worker, lane] = longest;
    this.#end(worker, lane);
    return true;
  }

  async #start(lane: Lane): Promise<void> {
    const { name, handler, code, environment, memoryMegabytes } = lane.definition;
    lane.starting += 1;
    let worker: FunctionWorker | undefined;
    try {
      worker = new FunctionWorker({
        name,
        handler,
        directory: code.directory,
        environment,
        memoryMegabytes,
        log: (line) => this.#options.log(name, line),
      });
      lane.workers.add(worker);
      this.#workers.add(worker);
      const started = worker;
      worker.once('gone', () => {
        this.#forget(started, lane);
        for (const other of this.#lanes.values()) {
          this.#dispatch(other);
        }
      });
      await worker.ready;
      this.#idle.set(worker, lane);
    } catch (error) {
      lane.waiting.shift()?.answer.reject(error);
      if (worker) {
        this.#end(worker, lane);
      }
    } finally {
      lane.starting -= 1;
      if (this.#isCurrent(lane)) {
        this.#dispatch(lane);
      } else if (worker) {
        this.#end(worker, lane);
      }
    }
  }

  async #run(lane: Lane, worker: FunctionWorker, { event, answer }: Job): Promise<void> {
    this.#idle.delete(worker);
    try {
      answer.resolve(
        await worker.run({ event, context: contextOf(lane.definition) }, timeLimit(lane.definition)),
      );
    } catch (error) {
      answer.reject(error);
    }
    if (worker.ended) {
      return;
    }
    if (!this.#isCurrent(lane) || this.#isWantedElsewhere(lane)) {
      this.#end(worker, lane);
      return;
    }
    this.#idle.set(worker, lane);
    this.#dispatch(lane);
  }

  /** Whether every place is taken while another function waits without a single worker. */
  #isWantedElsewhere(lane: Lane): boolean {
    if (this.#workers.size < this.#options.mostWorkers) {
      return false;
    }
    return [...this.#lanes.values()].some(
      (other) => other !== lane && other.waiting.length > 0 && other.workers.size === 0,
    );
  }

  #retire(lane: Lane): void {
    for (const worker of lane.workers) {
      if (this.#idle.has(worker)) {
        this.#end(worker, lane);
      }
    }
  }

  #end(worker: FunctionWorker, lane: Lane): void {
    this.#forget(worker, lane);
    void worker.end();
  }

  #forget(worker: FunctionWorker, lane: Lane): void {
    this.#idle.delete(worker);
    lane.workers.delete(worker);
    this.#workers.delete(worker);
  }

  #isCurrent(lane: Lane): boolean {
    return this.#lanes.get(lane.definition.name) === lane;
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

/** Where the code lies does not matter as long as it is the same code. */
function sameFunction(one: FunctionDefinition, other: FunctionDefinition): boolean {
  const withoutDirectory = ({ code, ...rest }: FunctionDefinition) => ({ ...rest, hash: code.hash });
  return isDeepStrictEqual(withoutDirectory(one), withoutDirectory(other));
}

/** Milliseconds. */
const timeLimit = ({ timeoutSeconds }: FunctionDefinition) => unlessDebugged(timeoutSeconds * 1000);

function contextOf(definition: FunctionDefinition): InvocationContext {
  const { name, memoryMegabytes } = definition;
  return {
    awsRequestId: randomUUID(),
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${region}:${account}:function:${name}`,
    memoryLimitInMB: String(memoryMegabytes),
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    deadline: Date.now() + timeLimit(definition),
  };
}
