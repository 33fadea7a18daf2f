import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import { minute } from '../../../shared/kernel/time.ts';

/** A mail in the queue of those that are to be sent. It has neither address nor token. */
export interface PostponedMail {
  readonly mailId: string;
  /** The tries until now. */
  readonly tries: number;
}

/** After each number of tries. The last one repeats; it is the longest that a queue delays a message. */
const delays = [0, minute, 5 * minute, 15 * minute] as const;

/**
 * Puts a mail off until its next try, the first of which is at once.
 * @throws when the queue does not take it.
 */
export async function postpone(queue: MessageQueue, mail: PostponedMail): Promise<void> {
  await queue.send(JSON.stringify(mail), {
    group: mail.mailId,
    delay: delays[Math.min(mail.tries, delays.length - 1)] ?? minute,
  });
}
