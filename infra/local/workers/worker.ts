// Runs one function in a worker thread: loads its module once, then handles one event after the other, never two at a time.
import { enableCompileCache, setSourceMapsSupport } from 'node:module';
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { workInBackground } from './background-thread.ts';
import { packed, unpacked } from './payload.ts';
import { collectedOutput } from './worker-output.ts';
import type {
  ErrorReport,
  Invocation,
  WorkerMessage,
  WorkerReport,
  WorkerSettings,
} from './worker-protocol.ts';
import { WorkerTraces } from './worker-traces.ts';

type Handler = (event: unknown, context: object) => unknown;

const { module, exported, yields, ...shared } = workerData as WorkerSettings;
if (yields) {
  workInBackground();
}
const traces = new WorkerTraces(shared.traces);

// So that a function that starts again, or in another worker, is not compiled again.
enableCompileCache();

// Stacks name the lines of the sources, where a bundle has a map.
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });

const output = collectedOutput(traces, () => say({ state: 'printing' }));

function report(error: unknown): ErrorReport {
  if (!(error instanceof Error)) {
    return { errorType: typeof error, errorMessage: String(error), trace: [] };
  }
  // The frames of this module are left out: its URL is its whole text.
  const trace = inspect(error)
    .split('\n')
    .filter((line) => !line.includes(import.meta.url));
  return { errorType: error.name, errorMessage: error.message, trace };
}

function say(report: WorkerReport): void {
  const message: WorkerMessage = report;
  const printed = output.take();
  if (printed !== undefined) {
    message.printed = printed;
  }
  parentPort?.postMessage(message);
}

async function loadHandler(): Promise<Handler> {
  const handler: unknown = (await import(module))[exported];
  if (typeof handler === 'function') {
    return handler as Handler;
  }
  throw new Error(`${module} exports no function ${exported}`);
}

async function handle(handler: Handler, { event, context, timeLimit }: Invocation): Promise<void> {
  const start = performance.now();
  const deadline = Date.now() + timeLimit;
  const getRemainingTimeInMillis = () => Math.max(0, deadline - Date.now());
  try {
    const result = packed(await handler(unpacked(event), { ...context, getRemainingTimeInMillis }));
    say({ state: 'returned', result, milliseconds: performance.now() - start });
  } catch (error) {
    say({ state: 'failed', error: report(error), milliseconds: performance.now() - start });
  }
}

try {
  const handler = await loadHandler();
  parentPort?.on('message', async (invocations: Invocation[]) => {
    for (const invocation of invocations) {
      if (!traces.begin(invocation.number)) {
        return;
      }
      await handle(handler, invocation);
    }
  });
  say({ state: 'ready' });
} catch (error) {
  say({ state: 'broken', error: report(error) });
}
