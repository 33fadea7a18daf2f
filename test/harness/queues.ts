import { loadOperations, ofKind } from '../../infra/registry.ts';
import type { MessageQueue } from '../../shared/kernel/message-queue.ts';
import { requireWritable, type SendingScope } from '../../shared/kernel/ports.ts';
import { type Providers, type Runtime, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import type { QueueResult } from '../../shared/kernel/serve/queue-event.ts';
import { serveDeferredRequests } from '../../shared/kernel/serve/serve-deferred-requests.ts';
import { unavailable } from '../../shared/kernel/transient-errors.ts';

/** A message as it was sent. */
export interface SentMessage {
  readonly body: string;
  readonly group: string;
  /** In milliseconds. */
  readonly delay: number;
}

/** A queue in memory that delivers nothing by itself. */
export interface RecordingQueue extends MessageQueue {
  /** The messages that were sent and not taken yet, oldest first. */
  readonly waiting: readonly SentMessage[];
  /** Takes all waiting messages, or those that match. */
  take(matches?: (message: SentMessage) => boolean): SentMessage[];
  /** Whether it takes messages; it does at first. */
  behave(behaviour: 'takes' | 'refuses'): void;
}

export function recordingQueue(): RecordingQueue {
  const waiting: SentMessage[] = [];
  let takes = true;
  return {
    async send(body, { group, delay = 0 }) {
      if (!takes) {
        throw unavailable(new Error('The test wants it so'));
      }
      waiting.push({ body, group, delay });
    },
    waiting,
    take(matches = () => true) {
      const all = waiting.splice(0);
      waiting.push(...all.filter((message) => !matches(message)));
      return all.filter(matches);
    },
    behave(behaviour) {
      takes = behaviour === 'takes';
    },
  };
}

/** The port to a recording queue, which waits as that to a real one does. */
export const portTo =
  (queue: MessageQueue): ((scope: SendingScope) => MessageQueue) =>
  (scope) => ({
    async send(body, options) {
      await requireWritable(scope);
      await queue.send(body, options);
    },
  });

interface Delivery {
  readonly at?: Date;
  /** How often the messages have been delivered, this time included; once unless stated. */
  readonly times?: number;
  /** Other names of operations, by their own. */
  readonly operations?: Readonly<Record<string, string>>;
  /** Gets the log line of each delivery. */
  readonly log?: (line: Record<string, unknown>) => void;
}

/** The event with which a queue delivers these messages, for the first time and sent now unless stated. */
export function queueEvent(bodies: readonly string[], delivery = 1, sentAt = new Date()) {
  return {
    Records: bodies.map((body, index) => ({
      messageId: String(index),
      body,
      attributes: {
        ApproximateReceiveCount: String(delivery),
        SentTimestamp: String(sentAt.getTime()),
      },
    })),
  };
}

export function runtimeAt({ at, log = () => undefined }: Delivery): Runtime {
  return { ...systemRuntime, clock: () => at ?? new Date(), log };
}

/** Delivers deferred requests to the function that applies them. @returns those that it could not apply. */
export async function deliverDeferred(
  providers: Providers,
  bodies: readonly string[],
  delivery: Delivery = {},
): Promise<QueueResult> {
  const deferring = ofKind(await loadOperations(), 'http').filter(
    ({ operation }) => operation.defers !== undefined,
  );
  const { operations: names = {} } = delivery;
  const served = deferring.map(({ name, operation }) => ({
    name: names[name] ?? name,
    operation,
    providers,
  }));
  return serveDeferredRequests(served, runtimeAt(delivery))(queueEvent(bodies, delivery.times));
}
