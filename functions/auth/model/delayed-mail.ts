import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import { minute } from '../../../shared/kernel/time.ts';

/** A mail that could not be sent, in the queue of those that are tried again. It has neither address nor token. */
export interface DelayedMail {
  readonly mailId: string;
  /** The tries until now. */
  readonly tries: number;
}

/** Before each try. The last one repeats; it is the longest that a queue delays a message. */
const delays = [minute, 5 * minute, 15 * minute] as const;

/**
 * Puts a mail off until its next try.
 * @throws when the queue does not take it.
 */
export async function delayMail(queue: MessageQueue, { mailId, tries }: DelayedMail): Promise<void> {
  await queue.send(JSON.stringify({ mailId, tries } satisfies DelayedMail), {
    group: mailId,
    delay: delays[Math.min(tries, delays.length) - 1] ?? minute,
  });
}
