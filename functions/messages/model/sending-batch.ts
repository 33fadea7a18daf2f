import { forEachConcurrently } from '../../../shared/kernel/for-each-concurrently.ts';
import { invocationLimits } from '../../../shared/kernel/invocation-limits.ts';
import { lease } from './lease.ts';

/** Numbers that are written to at the same time. */
const width = 25;

/** Milliseconds of a run after which no further message is leased, so that the platform ends the run of none. */
const claimedWithin = invocationLimits.stream - lease;

/** When a message's turn comes, in milliseconds. */
export interface Turn {
  /** Since the beginning of the batch. */
  readonly late: number;
  /** Until it must be leased. */
  readonly left: number;
}

/** A message of a batch, by the number it goes to. */
export interface Waiting {
  readonly to: string;
  send(turn: Turn): Promise<void>;
}

/**
 * Sends every message of a batch. Those to one number go one after the other, and none after one that could not be sent, so that
 * they arrive in order; numbers do not wait for each other.
 * @returns why some could not be sent; empty when all were.
 */
export function sendBatch(batch: readonly Waiting[]): Promise<unknown[]> {
  const start = performance.now();
  const queues = Map.groupBy(batch, ({ to }) => to).values();
  return forEachConcurrently(queues, width, (queue) => inOrder(queue, start));
}

async function inOrder(queue: readonly Waiting[], start: number): Promise<void> {
  for (const { send } of queue) {
    const late = performance.now() - start;
    const left = claimedWithin - late;
    if (left < 0) {
      throw new Error('The time of this run is over');
    }
    await send({ late, left });
  }
}
