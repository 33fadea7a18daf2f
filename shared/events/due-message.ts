import type { MessageQueue } from '../kernel/message-queue.ts';
import { after, minute, second, timestamp } from '../kernel/time.ts';
import type { TableWriter } from '../table/table.ts';
import { AlreadyDone, type DueEntry, dueKeyFor, endAction } from './due-entry.ts';
import type { DueOperations } from './due-operation.ts';

/** Milliseconds before an entry is due in which a message can wait for it: a queue delays none for longer. Source: SQS, "Delay queues". */
const longestAhead = 15 * minute;

/** A message that arrives when its entry is due. Without it, or if what is due then fails, the clock does it within a minute. */
export interface DueMessage {
  readonly due: DueEntry;
}

/** Whether a message can wait until an entry is due. */
export const isSoon = ({ at }: DueEntry, now: Date): boolean => at <= timestamp(after(now, longestAhead));

/**
 * Sends the message that arrives when an entry is due: at the next full second, never before.
 * @throws a 503 `Failure` when the queue does not take it.
 */
export async function sendDueMessage(queue: MessageQueue, due: DueEntry, now: Date): Promise<void> {
  const seconds = Math.ceil((Date.parse(due.at) - now.getTime()) / second);
  const message: DueMessage = { due };
  await queue.send(JSON.stringify(message), {
    group: due.organizationId,
    delay: Math.min(Math.max(seconds * second, 0), longestAhead),
  });
}

/** The ports of a queue's consumer that gets these messages. */
interface DuePorts {
  readonly platform: TableWriter<'platform'>;
  readonly dueOperations: DueOperations;
  readonly queue: MessageQueue;
}

/**
 * Does what is due, once however many messages arrive and whatever the clock does meanwhile. A message that this machine takes for too
 * early, because its clock is behind, is sent again.
 * @returns the outcome. @throws when it failed: then the clock does it later.
 */
export async function doWhatIsDue(
  { platform, dueOperations, queue }: DuePorts,
  { due }: DueMessage,
  now: Date,
): Promise<string> {
  if (due.at > timestamp(now)) {
    await sendDueMessage(queue, due, now);
    return 'early';
  }
  const stored = await platform.read(dueKeyFor(due));
  if (stored === undefined) {
    return 'repeated';
  }
  try {
    return await dueOperations.run(stored.data, endAction(platform, stored));
  } catch (error) {
    if (error instanceof AlreadyDone) {
      return 'repeated';
    }
    throw error;
  }
}
