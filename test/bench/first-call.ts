import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { HttpEvent } from '../../shared/kernel/http/http-event.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { type FunctionResources, handlerOf, type Outcome } from './kernel.ts';

interface Given {
  readonly name: string;
  readonly file: string;
  readonly event: HttpEvent;
  readonly resources: FunctionResources;
}

/**
 * What the very first call of a function is answered and consumes: in a thread that remembers nothing.
 * @param environment what differs from the environment of this process.
 */
export async function firstCall(given: Given, environment: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const env = { ...process.env, ...environment };
  const worker = new Worker(new URL(import.meta.url), { workerData: given, env });
  try {
    return await new Promise<Outcome>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}

if (parentPort !== null && isGiven(workerData)) {
  const { name, file, event, resources } = workerData;
  const { default: operation } = (await import(file)) as { default: Operation };
  const handle = await handlerOf(name, operation, resources);
  parentPort.postMessage(await handle(event));
}

/** False where a test runner imports this file in one of its own threads. */
function isGiven(data: unknown): data is Given {
  return typeof data === 'object' && data !== null && 'resources' in data && 'event' in data;
}
