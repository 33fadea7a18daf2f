import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import { delayAfter } from '../../../shared/kernel/retry-delay.ts';

/** A message of the queue `outgoingMail`: which email to send. It has neither address nor token. */
export interface MailJob {
  readonly mailId: string;
  /** How many tries have failed. */
  readonly tries: number;
}

/**
 * Queues an email for its next try: the first one at once, later ones after a delay.
 * @throws when the queue does not take it.
 */
export async function enqueueMail(queue: MessageQueue, mail: MailJob): Promise<void> {
  await queue.send(JSON.stringify(mail), { group: mail.mailId, delay: delayAfter(mail.tries) });
}
