import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { buildSync, stop } from 'esbuild';
import type { FunctionDefinition } from '../template/plan.ts';
import { unlessDebugged } from '../time-limit.ts';
import { FunctionError, failure } from './function-error.ts';
import type { Payload } from './payload.ts';
import type { Invocation, WorkerMessage, WorkerSettings } from './worker-protocol.ts';
import { WorkerTraces } from './worker-traces.ts';

/** A module that has not loaded within this time has failed, as on Lambda. */
const initMilliseconds = 10_000;

/**
 * Megabytes for new objects. With the default of V8 (up to 192), every busy worker would fill much more memory before anything is
 * collected. Objects that live longer move to the part of the heap that the memory size of the function limits.
 */
const youngMegabytes = 6;

// Types are stripped once, here: a worker that did it by itself would start with twice the time and memory.
const { outputFiles } = buildSync({
  entryPoints: [fileURLToPath(new URL('./worker.ts', import.meta.url))],
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  target: 'node24',
});
void stop(); // The compiler's own process.
const entryUrl = new URL(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);

/** An event, and the promise of its result. */
export interface Job {
  readonly event: Payload;
  /** Rejects with a FunctionError when the handler threw, and when it had not finished in the time of its function. */
  readonly result: PromiseWithResolvers<Payload>;
  /** The organization on whose behalf the event is handled, if the gateway knows it. */
  readonly caller: string | undefined;
}

/** When an event takes this long, the worker gives back those behind it, so that they do not wait. */
const longMilliseconds = 5;

/**
 * A worker thread that has loaded one function. Emits `gone` once, when it has ended for whatever reason, and `givenBack` with jobs that it
 * will not handle.
 */
export class FunctionWorker extends EventEmitter<{ gone: []; givenBack: [Job[]] }> {
  readonly ready: Promise<void>;
  readonly #definition: FunctionDefinition;
  readonly #worker: Worker;
  readonly #traces = new WorkerTraces();
  #ended = false;
  /** Why the worker has ended. */
  #reason = failure('Runtime.ExitError', 'The function ended its process');
  /** How long the handler took recently; long times fade slowly. Undefined before the first event. */
  #recentMilliseconds: number | undefined;
  /** The jobs under way: the first is being handled, the others follow. */
  #jobs: Job[] = [];
  /** The number of the first job under way. */
  #number = 0;
  #allDone = Promise.withResolvers<void>();
  #timeLimit: NodeJS.Timeout | undefined;
  #recall: NodeJS.Timeout | undefined;

  /** `yields`: whether the thread leaves processors and database to others. */
  constructor(definition: FunctionDefinition, yields: boolean, log: (line: string) => void) {
    super();
    this.#definition = definition;
    this.#worker = new Worker(entryUrl, {
      workerData: { ...settings(definition), traces: this.#traces.buffer, yields } satisfies WorkerSettings,
      env: definition.environment,
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: definition.memoryMegabytes,
        maxYoungGenerationSizeMb: youngMegabytes,
      },
    });
    const loaded = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      loaded.reject(failure('Sandbox.Timedout', `The module did not load within ${initMilliseconds} ms`));
    }, unlessDebugged(initMilliseconds));
    this.ready = loaded.promise.finally(() => clearTimeout(timer));

    this.#worker.on('message', (message: WorkerMessage) => {
      logLines(message.printed, log);
      switch (message.state) {
        case 'ready':
          return loaded.resolve();
        case 'broken':
          return loaded.reject(new FunctionError(message.error));
        case 'returned':
        case 'failed':
          if (this.#ended) {
            return; // Too late: the time limit had passed.
          }
          this.#recentMilliseconds = Math.max(message.milliseconds, 0.9 * (this.#recentMilliseconds ?? 0));
          return this.#settleFirst(({ result }) => {
            if (message.state === 'returned') {
              result.resolve(message.result);
            } else {
              result.reject(new FunctionError(message.error));
            }
          });
      }
    });
    this.#worker.on('error', ({ name, message, stack }: Error) => {
      this.#reason = new FunctionError({
        errorType: name,
        errorMessage: message,
        trace: stack?.split('\n') ?? [],
      });
    });
    this.#worker.on('exit', () => {
      this.#ended = true;
      logLines(this.#traces.text, log);
      loaded.reject(this.#reason);
      this.#giveBack();
      for (const { result } of this.#jobs.splice(0)) {
        result.reject(this.#reason);
      }
      this.#done();
      this.emit('gone');
    });
  }

  /** Whether the thread is ending or has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Whether it is handling an event of this caller. */
  isBusyFor(caller: string | undefined): boolean {
    return this.#jobs.some((job) => job.caller === caller);
  }

  /** About how many events it handles in this many milliseconds, going by the recent ones. */
  eventsIn(milliseconds: number): number {
    return this.#recentMilliseconds === undefined ? 0 : Math.floor(milliseconds / this.#recentMilliseconds);
  }

  /**
   * Handles events one after the other. Resolves when the last event that it does not give back is done. The worker ends when a handler
   * exceeds the time limit of its function.
   */
  async run(jobs: Job[]): Promise<void> {
    this.#jobs = jobs;
    this.#number = this.#traces.next;
    this.#allDone = Promise.withResolvers();
    this.#worker.postMessage(jobs.map(({ event }, at) => this.#invocation(event, this.#number + at)));
    this.#limitTime();
    if (jobs.length > 1) {
      this.#recall = setTimeout(() => this.#giveBack(), longMilliseconds);
    }
    return this.#allDone.promise;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }

  #invocation(event: Payload, number: number): Invocation {
    const { name } = this.#definition;
    const context = { awsRequestId: randomUUID(), functionName: name };
    return { number: number | 0, event, context, timeLimit: this.#milliseconds };
  }

  get #milliseconds(): number {
    return unlessDebugged(this.#definition.timeoutSeconds * 1000);
  }

  #settleFirst(settle: (job: Job) => void): void {
    const job = this.#jobs.shift();
    this.#number += 1;
    if (job !== undefined) {
      settle(job);
    }
    if (this.#jobs.length === 0) {
      this.#done();
    } else {
      this.#limitTime();
      this.#recall?.refresh();
    }
  }

  #done(): void {
    clearTimeout(this.#timeLimit);
    clearTimeout(this.#recall);
    this.#allDone.resolve();
  }

  #giveBack(): void {
    const begun = (this.#traces.recall() - this.#number) | 0;
    const jobs = this.#jobs.splice(begun);
    if (jobs.length > 0) {
      this.#recentMilliseconds = longMilliseconds;
      this.emit('givenBack', jobs);
    }
    if (this.#jobs.length === 0) {
      this.#done();
    }
  }

  #limitTime(): void {
    clearTimeout(this.#timeLimit);
    const milliseconds = this.#milliseconds;
    this.#timeLimit = setTimeout(() => {
      const limit = (milliseconds / 1000).toFixed(2);
      this.#reason = failure('Sandbox.Timedout', `Task timed out after ${limit} seconds`);
      void this.end();
    }, milliseconds);
  }
}

function settings({ name, handler, code }: FunctionDefinition): Pick<WorkerSettings, 'module' | 'exported'> {
  const [file = '', exported = ''] = handler.split('.');
  const module = join(code.directory, `${file}.mjs`);
  if (!existsSync(module)) {
    throw failure('Runtime.ImportModuleError', `${name}: no module for the handler ${handler}: ${module}`);
  }
  return { module: pathToFileURL(module).href, exported };
}

function logLines(printed = '', log: (line: string) => void): void {
  const lines = printed.split(/\r?\n/);
  for (const line of lines.at(-1) === '' ? lines.slice(0, -1) : lines) {
    log(line);
  }
}
