import { isDeepStrictEqual } from 'node:util';
import type { Credentials } from '../environment.ts';
import type { QueuePlan } from './queue.ts';
import { type QueueMapping, queueNameIn } from './queue-plan.ts';
import { startQueueServer } from './queue-server.ts';
import { QueueSource } from './queue-source.ts';
import { openQueueStore } from './queue-store.ts';

export interface LocalQueuesOptions {
  /** The file of the messages; without it they are gone when the host stops. */
  readonly file: string | undefined;
  readonly credentials: Credentials;
  /** Whether the function waits for addresses outside. */
  waitsOutside?(functionName: string): boolean;
  invoke(functionName: string, event: unknown): Promise<unknown>;
  log(line: string): void;
}

/** The queues of the templates, and the event source mappings that deliver their messages to functions. */
export interface LocalQueues {
  /** The endpoint for functions, for example `http://127.0.0.1:4567`. */
  readonly endpoint: string;
  /** Runs these queues and mappings from now on. */
  run(plans: readonly QueuePlan[], mappings: readonly QueueMapping[]): Promise<void>;
  /** Sends to the queue with this ARN. */
  send(arn: string, body: string): void;
  /** Stops delivering to functions. Messages that are being handled are delivered again after the next start. */
  stopFeeding(): Promise<void>;
  stop(): Promise<void>;
}

/** Opens the queues in `file`, or in memory without one; `run` defines them. */
export async function openQueues({
  file,
  credentials,
  waitsOutside = () => false,
  invoke,
  log,
}: LocalQueuesOptions): Promise<LocalQueues> {
  const store = openQueueStore(file);
  const server = await startQueueServer(store, credentials);
  const running = new Map<string, { mapping: QueueMapping; source: QueueSource }>();

  async function end(ids: readonly string[]): Promise<void> {
    const sources = ids.map((id) => running.get(id)?.source);
    for (const id of ids) {
      running.delete(id);
    }
    await Promise.all(sources.map((source) => source?.stop()));
  }

  return {
    endpoint: server.endpoint,
    async run(plans, mappings) {
      const wanted = new Map(mappings.map((mapping) => [mapping.id, mapping]));
      const changed = [...running].filter(([id, { mapping }]) => !isDeepStrictEqual(mapping, wanted.get(id)));
      await end(changed.map(([id]) => id));
      store.define(plans);
      for (const mapping of mappings) {
        if (!running.has(mapping.id)) {
          const feed = (event: unknown) => invoke(mapping.functionName, event);
          const isOutside = waitsOutside(mapping.functionName);
          const source = new QueueSource({ store, mapping, waitsOutside: isOutside, invoke: feed, log });
          running.set(mapping.id, { mapping, source });
        }
      }
    },
    send: (arn, body) => void store.send(queueNameIn(arn), { body }),
    stopFeeding: () => end([...running.keys()]),
    async stop() {
      await end([...running.keys()]);
      await server.stop();
      store.close();
    },
  };
}
