import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import { delayAfter } from '../../../shared/kernel/postponing.ts';
import type { SmsOutcome } from '../../../shared/messages/sms-provider.ts';

/** A message in the queue of those that are to be sent. It names records and holds none of their data. */
export interface PostponedText {
  readonly organizationId: string;
  readonly contactId: string;
  readonly messageId: string;
  /** The tries until now. */
  readonly tries: number;
  /** Where only the record of an answer failed: then what was answered must not be sent again. */
  readonly answered?: Answered;
}

/** What the provider answered to this message, or to another one to the contact. */
export interface Answered {
  readonly messageId: string;
  readonly outcome: SmsOutcome;
}

/**
 * Puts a message off until its next try, the first of which is at once.
 * @throws when the queue does not take it.
 */
export async function postpone(queue: MessageQueue, text: PostponedText): Promise<void> {
  await queue.send(JSON.stringify(text), { group: text.organizationId, delay: delayAfter(text.tries) });
}
