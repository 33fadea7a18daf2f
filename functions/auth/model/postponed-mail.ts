import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import { delayAfter } from '../../../shared/kernel/postponing.ts';

/** An email in the queue of those that are to be sent. It has neither address nor token. */
export interface PostponedMail {
  readonly mailId: string;
  /** The tries until now. */
  readonly tries: number;
}

/**
 * Puts an email off until its next try, the first of which is at once.
 * @throws when the queue does not take it.
 */
export async function postpone(queue: MessageQueue, mail: PostponedMail): Promise<void> {
  await queue.send(JSON.stringify(mail), { group: mail.mailId, delay: delayAfter(mail.tries) });
}
