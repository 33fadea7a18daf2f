import { crc32 } from 'node:zlib';
import type { DueEntry } from '../../../../shared/events/due-entry.ts';
import type { MessageQueue } from '../../../../shared/kernel/message-queue.ts';
import { delayAfter } from '../../../../shared/kernel/retry-delay.ts';
import { minute, type Timestamp } from '../../../../shared/kernel/time.ts';

/** A run in the queue of runs that can go on. It names the run and holds none of its data. */
export interface QueuedRun {
  readonly organizationId: string;
  readonly runId: string;
  /** How many tries have failed so far. */
  readonly tries: number;
  /** The time for which the clock woke it, if the clock did. */
  readonly dueAt?: Timestamp;
  /** How often it was set apart because its message was delivered too often, as happens if its step ends the process. The name is the message's. */
  readonly losses?: number;
}

/** A run whose wait is over, or that starts now. Its entry stays for the clock, which then finds nothing to do. */
export const toQueuedRun = ({ organizationId, id, at }: DueEntry): QueuedRun => ({
  organizationId,
  runId: id,
  tries: 0,
  dueAt: at,
});

/**
 * Deliveries of a message after which its run goes on apart from the runs that it was delivered with. A machine that is ended a few times
 * causes fewer: then the run is not to blame, and goes on at once.
 */
export const maxDeliveries = 5;

/** How often a run goes on apart before the run itself is taken for what ends the process. */
export const maxCrashes = 2;

/** A queue delays a message by up to 15 minutes. */
const apart = 14;

/** Queues a run to be delivered apart from the runs that its message was delivered with: each gets another delay. */
export async function quarantineRun(
  queue: MessageQueue,
  { losses: crashes = 0, ...run }: QueuedRun,
): Promise<void> {
  const delay = (1 + (crc32(`${run.runId} ${crashes}`) % apart)) * minute;
  await queue.send(JSON.stringify({ ...run, losses: crashes + 1 }), { group: run.organizationId, delay });
}

/**
 * Queues a run for its next steps: at once, or after a failure with the delay for its number of tries.
 * @throws when the queue does not take it.
 */
export async function queueRun(queue: MessageQueue, run: QueuedRun): Promise<void> {
  await queue.send(JSON.stringify(run), { group: run.organizationId, delay: delayAfter(run.tries) });
}
