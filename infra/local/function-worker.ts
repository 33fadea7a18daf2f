import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { stop, transformSync } from 'esbuild';
import type { FunctionDefinition } from './plan.ts';
import { unlessDebugged } from './time-limit.ts';
import type { ErrorReport, Invocation, WorkerMessage, WorkerSettings } from './worker-protocol.ts';

/** A module that has not finished loading after this long is given up, as on Lambda. */
const initMilliseconds = 10_000;

// Types are stripped here, once: a worker that did it by itself would take twice the time and memory.
const { code: compiled } = transformSync(readFileSync(new URL('./worker.ts', import.meta.url)), {
  loader: 'ts',
});
void stop(); // The compiler's own process.
const entryUrl = new URL(`data:text/javascript,${encodeURIComponent(compiled)}`);

/** A function failed: its handler threw, it ran out of time, or its module could not be loaded. */
export class FunctionError extends Error {
  readonly errorType: string;
  readonly trace: string[];

  constructor({ errorType, errorMessage, trace }: ErrorReport) {
    super(errorMessage);
    this.name = 'FunctionError';
    this.errorType = errorType;
    this.trace = trace;
  }
}

/** A worker thread that has loaded one function. Emits `gone` once, when it has ended for whatever reason. */
export class FunctionWorker extends EventEmitter<{ gone: [] }> {
  readonly ready: Promise<void>;
  #ended = false;
  readonly #definition: FunctionDefinition;
  readonly #worker: Worker;
  #answered = Promise.withResolvers<string>();

  constructor(definition: FunctionDefinition, log: (line: string) => void) {
    super();
    this.#definition = definition;
    this.#worker = new Worker(entryUrl, {
      workerData: settings(definition),
      env: definition.environment,
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: definition.memoryMegabytes },
    });
    forward(this.#worker.stdout, log);
    forward(this.#worker.stderr, log);
    const loaded = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      loaded.reject(failure('Sandbox.Timedout', `The module did not load within ${initMilliseconds} ms`));
    }, unlessDebugged(initMilliseconds));
    this.ready = loaded.promise.finally(() => clearTimeout(timer));
    this.#answered.promise.catch(() => undefined);

    this.#worker.on('message', (message: WorkerMessage) => {
      if (message.state === 'ready') {
        return loaded.resolve();
      }
      if (message.state === 'returned') {
        return this.#answered.resolve(message.payload);
      }
      loaded.reject(new FunctionError(message.error));
      this.#answered.reject(new FunctionError(message.error));
    });
    const fail = (error: FunctionError) => {
      this.#ended = true;
      loaded.reject(error);
      this.#answered.reject(error);
    };
    this.#worker.on('error', ({ name, message, stack }: Error) => {
      fail(new FunctionError({ errorType: name, errorMessage: message, trace: stack?.split('\n') ?? [] }));
    });
    this.#worker.on('exit', () => {
      fail(failure('Runtime.ExitError', 'The function ended its process'));
      this.emit('gone');
    });
  }

  /** Whether the thread is ending or has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Resolves with the JSON text of what the handler returned to this event. Rejects with a FunctionError when it threw, and
   * when it was not finished in the time of its function; the worker is then ended.
   */
  async run(event: string): Promise<string> {
    const { name, timeoutSeconds } = this.#definition;
    const milliseconds = unlessDebugged(timeoutSeconds * 1000);
    this.#answered = Promise.withResolvers();
    const timer = setTimeout(() => {
      const limit = (milliseconds / 1000).toFixed(2);
      this.#answered.reject(failure('Sandbox.Timedout', `Task timed out after ${limit} seconds`));
      void this.end();
    }, milliseconds);
    const invocation: Invocation = {
      event,
      context: { awsRequestId: randomUUID(), functionName: name },
      deadline: Date.now() + milliseconds,
    };
    this.#worker.postMessage(invocation);
    try {
      return await this.#answered.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }
}

function settings({ name, handler, code }: FunctionDefinition): WorkerSettings {
  const [file = '', exported = ''] = handler.split('.');
  const module = join(code.directory, `${file}.mjs`);
  if (!existsSync(module)) {
    throw failure('Runtime.ImportModuleError', `${name}: no module for the handler ${handler}: ${module}`);
  }
  return { module: pathToFileURL(module).href, exported };
}

function failure(errorType: string, errorMessage: string): FunctionError {
  return new FunctionError({ errorType, errorMessage, trace: [] });
}

function forward(stream: Readable, log: (line: string) => void): void {
  createInterface({ input: stream }).on('line', log);
}
