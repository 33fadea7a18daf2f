import type { MessageQueue } from '../../../../shared/kernel/message-queue.ts';
import { delayAfter } from '../../../../shared/kernel/postponing.ts';
import type { Timestamp } from '../../../../shared/kernel/time.ts';

/** A run in the queue of those that can go on. It names the run and holds none of its data. */
export interface QueuedRun {
  readonly organizationId: string;
  readonly runId: string;
  /** The tries until now that failed. */
  readonly tries: number;
  /** The time that has come, if the clock woke it. */
  readonly dueAt?: Timestamp;
}

/**
 * Queues a run for its next steps: at once, or after a failure as long as that asks for.
 * @throws when the queue does not take it.
 */
export async function queueRun(queue: MessageQueue, run: QueuedRun): Promise<void> {
  await queue.send(JSON.stringify(run), { group: run.organizationId, delay: delayAfter(run.tries) });
}
