import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FunctionDefinition } from '../template/plan.ts';
import { unlessDebugged } from '../time-limit.ts';
import { FunctionError, failure } from './function-error.ts';
import type { FunctionToLoad, WorkerMessage, WorkerRequest } from './worker-protocol.ts';

/** A module that has not loaded within this time has failed, as on Lambda. */
const loadMilliseconds = 10_000;

/**
 * Megabytes for new objects. With the default of V8, up to 192, every busy worker would fill much more memory before anything is
 * collected.
 */
const youngMegabytes = 6;

/** A worker thread, which loads any function and handles one event at a time. */
export class FunctionWorker {
  readonly #worker: Worker;
  readonly #log: (functionName: string, line: string) => void;
  readonly #loaded = new Set<string>();
  /** The function that had the last event. */
  #functionName = '';
  #timeLimit = 0;
  /** The end of the printed text, which is no whole line yet. */
  #text = '';
  #result = Promise.withResolvers<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Why the thread ended. */
  #reason = failure('Runtime.ExitError', 'The function ended its process');
  isBusy = false;
  hasEnded = false;

  constructor(memoryMegabytes: number, log: (functionName: string, line: string) => void) {
    this.#log = log;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMegabytes,
        maxYoungGenerationSizeMb: youngMegabytes,
      },
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', ({ name, message, stack }: Error) => {
      // It exits a moment later: until then nobody may give it another event.
      this.hasEnded = true;
      const trace = stack?.split('\n') ?? [];
      this.#reason = new FunctionError({ errorType: name, errorMessage: message, trace });
      if (!this.isBusy) {
        this.#print(`${trace.join('\n')}\n`); // Nobody else learns why an idle worker ended.
      }
    });
    this.#worker.on('exit', () => {
      this.hasEnded = true;
      if (this.#text !== '') {
        this.#print('\n');
      }
      // Nobody waits for the result of an idle worker, so its rejection would end the host.
      if (this.isBusy) {
        this.#result.reject(this.#reason);
      }
    });
  }

  hasLoaded(functionName: string): boolean {
    return this.#loaded.has(functionName);
  }

  /**
   * Resolves with the handler's result as JSON. Rejects with a FunctionError when the handler throws; also when it ends its thread or
   * exceeds its time limit, and then the worker has ended.
   */
  async handle(definition: FunctionDefinition, event: string): Promise<string> {
    const { name, timeoutSeconds } = definition;
    this.isBusy = true;
    this.#functionName = name;
    this.#timeLimit = unlessDebugged(timeoutSeconds * 1000);
    this.#result = Promise.withResolvers();
    try {
      if (this.#loaded.has(name)) {
        this.#limitHandler();
      } else {
        this.#send({ load: functionToLoad(definition) });
        this.#loaded.add(name);
        const longest = unlessDebugged(loadMilliseconds);
        this.#limitTime(longest, `The module did not load within ${longest} ms`);
      }
      const context = { awsRequestId: randomUUID(), functionName: name };
      this.#send({ run: { name, event, context, timeLimit: this.#timeLimit } });
      return await this.#result.promise;
    } finally {
      clearTimeout(this.#timer);
      this.isBusy = false;
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(request: WorkerRequest): void {
    this.#worker.postMessage(request);
  }

  #receive(message: WorkerMessage): void {
    if ('printed' in message) {
      this.#print(message.printed);
    } else if ('loaded' in message) {
      this.#limitHandler();
    } else if ('result' in message) {
      this.#result.resolve(message.result);
    } else {
      this.#result.reject(new FunctionError(message.error));
    }
  }

  #limitHandler(): void {
    const seconds = (this.#timeLimit / 1000).toFixed(2);
    this.#limitTime(this.#timeLimit, `Task timed out after ${seconds} seconds`);
  }

  #limitTime(milliseconds: number, message: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#reason = failure('Sandbox.Timedout', message);
      void this.end();
    }, milliseconds);
  }

  #print(text: string): void {
    const lines = (this.#text + text).split(/\r?\n/);
    this.#text = lines.pop() ?? '';
    for (const line of lines) {
      this.#log(this.#functionName, line);
    }
  }
}

function functionToLoad({ name, handler, code, environment }: FunctionDefinition): FunctionToLoad {
  const [file = '', exported = ''] = handler.split('.');
  const module = join(code.directory, `${file}.mjs`);
  if (!existsSync(module)) {
    throw failure('Runtime.ImportModuleError', `${name}: no module for the handler ${handler}: ${module}`);
  }
  return { name, module: pathToFileURL(module).href, exported, environment };
}
