// Runs functions in a worker thread: loads each when it first gets an event, and handles one event at a time.
import { enableCompileCache, setSourceMapsSupport } from 'node:module';
import { inspect } from 'node:util';
import { parentPort } from 'node:worker_threads';
import type {
  ErrorReport,
  FunctionToLoad,
  Invocation,
  WorkerMessage,
  WorkerRequest,
} from './worker-protocol.ts';

type Handler = (event: unknown, context: object) => unknown;

/** By the function's name; a promise because messages do not wait for each other. */
const handlers = new Map<string, Promise<Handler>>();
const environments = new Map<string, Record<string, string>>();

// A function that another worker has loaded is not compiled again.
enableCompileCache();

// Stacks name the lines of the sources, where a bundle has a map.
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });

const say = (message: WorkerMessage) => parentPort?.postMessage(message);

// Each text is sent as soon as it is printed: the streams of a worker would lose it when the function never gives up its thread.
for (const stream of [process.stdout, process.stderr]) {
  stream._write = (chunk: string | Buffer, _encoding, written) => {
    say({ printed: chunk.toString() });
    written();
  };
}

parentPort?.on('message', (request: WorkerRequest) => {
  if ('load' in request) {
    load(request.load);
  } else {
    void handle(request.run);
  }
});

function load({ name, module, exported, environment }: FunctionToLoad): void {
  // Code that is loaded may keep this object, so each function has one of its own.
  environments.set(name, environment);
  process.env = environment;
  const handler = import(module).then(({ [exported]: found }) => {
    if (typeof found !== 'function') {
      throw new Error(`${module} exports no function ${exported}`);
    }
    say({ loaded: true });
    return found as Handler;
  });
  handler.catch(() => undefined); // Whoever awaits it reports the error.
  handlers.set(name, handler);
}

async function handle({ name, event, context, timeLimit }: Invocation): Promise<void> {
  process.env = environments.get(name) ?? {};
  try {
    const handler = await handlers.get(name);
    const deadline = Date.now() + timeLimit;
    const getRemainingTimeInMillis = () => Math.max(0, deadline - Date.now());
    const result = await handler?.(JSON.parse(event), { ...context, getRemainingTimeInMillis });
    // As on Lambda: a result without JSON is null, and one that JSON refuses is an error.
    say({ result: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    say({ error: reportOf(error) });
  }
}

function reportOf(error: unknown): ErrorReport {
  if (!(error instanceof Error)) {
    return { errorType: typeof error, errorMessage: String(error), trace: [] };
  }
  const trace = inspect(error)
    .split('\n')
    .filter((line) => !line.includes(import.meta.url));
  return { errorType: error.name, errorMessage: error.message, trace };
}
