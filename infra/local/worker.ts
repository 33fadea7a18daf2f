// Runs one function in a worker thread: loads its module once, then handles one event after the other.
import { enableCompileCache, setSourceMapsSupport } from 'node:module';
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { ErrorReport, Invocation, WorkerMessage, WorkerSettings } from './worker-protocol.ts';

type Handler = (event: unknown, context: object) => unknown;

const { module, exported } = workerData as WorkerSettings;

// A function that starts again, or in one more worker, is not compiled again.
enableCompileCache();

// Stacks name the lines of the sources, where a bundle has a map.
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });

function report(error: unknown): ErrorReport {
  if (!(error instanceof Error)) {
    return { errorType: typeof error, errorMessage: String(error), trace: [] };
  }
  // Without the frames of this module, whose URL is all of its text.
  const trace = inspect(error)
    .split('\n')
    .filter((line) => !line.includes(import.meta.url));
  return { errorType: error.name, errorMessage: error.message, trace };
}

function say(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

async function loadHandler(): Promise<Handler> {
  const handler: unknown = (await import(module))[exported];
  if (typeof handler === 'function') {
    return handler as Handler;
  }
  throw new Error(`${module} exports no function ${exported}`);
}

async function handle(handler: Handler, { event, context, deadline }: Invocation): Promise<void> {
  const getRemainingTimeInMillis = () => Math.max(0, deadline - Date.now());
  try {
    const result = await handler(JSON.parse(event), { ...context, getRemainingTimeInMillis });
    say({ state: 'returned', payload: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    say({ state: 'failed', error: report(error) });
  }
}

try {
  const handler = await loadHandler();
  parentPort?.on('message', (invocation: Invocation) => void handle(handler, invocation));
  say({ state: 'ready' });
} catch (error) {
  say({ state: 'failed', error: report(error) });
}
