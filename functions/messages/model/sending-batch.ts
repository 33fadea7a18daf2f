import { forEachConcurrently } from '../../../shared/kernel/for-each-concurrently.ts';
import { invocationLimits } from '../../../shared/kernel/invocation-limits.ts';
import { lease } from './lease.ts';

/** Numbers served at the same time. */
const width = 25;

/** Milliseconds of a run after which it leases no more messages, so that the platform never ends it while it has one. */
const leasedWithin = invocationLimits.stream - lease;

/** When a message is handled, in milliseconds. */
export interface Turn {
  /** Since the start of the batch. */
  readonly late: number;
  /** Until the message must be leased. */
  readonly left: number;
}

/** A message of a batch, with its recipient's number. */
export interface Waiting {
  readonly to: string;
  send(turn: Turn): Promise<void>;
}

/**
 * Sends every message of a batch. A number gets its messages one after the other, and none after a failure, so that they arrive
 * in order; numbers do not wait for each other.
 * @returns the errors of messages that could not be sent.
 */
export function sendBatch(batch: readonly Waiting[]): Promise<unknown[]> {
  const start = performance.now();
  const queues = Map.groupBy(batch, ({ to }) => to).values();
  return forEachConcurrently(queues, width, (queue) => inOrder(queue, start));
}

async function inOrder(queue: readonly Waiting[], start: number): Promise<void> {
  for (const { send } of queue) {
    const late = performance.now() - start;
    const left = leasedWithin - late;
    if (left < 0) {
      throw new Error('The time of this run is over');
    }
    await send({ late, left });
  }
}
