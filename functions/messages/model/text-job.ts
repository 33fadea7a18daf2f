import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import type { SmsOutcome } from '../../../shared/kernel/providers/sms-provider.ts';
import { delayAfter } from '../../../shared/kernel/retry-delay.ts';

/** A message of the queue `outgoingTexts`: which text to send. It names records and holds none of their data. */
export interface TextJob {
  readonly organizationId: string;
  /** The contact in whose partition it is. */
  readonly contactId: string;
  readonly messageId: string;
  /** How many tries have failed. */
  readonly tries: number;
  /** The provider's response, if it could not be recorded: that message must not be sent again. */
  readonly answered?: Answered;
}

/** The provider's response to this message, or to another one to the contact. */
export interface Answered {
  readonly messageId: string;
  readonly outcome: SmsOutcome;
}

/**
 * Queues a text for its next try: the first one at once, later ones after a delay.
 * @throws when the queue does not take it.
 */
export async function enqueueText(queue: MessageQueue, text: TextJob): Promise<void> {
  await queue.send(JSON.stringify(text), { group: text.organizationId, delay: delayAfter(text.tries) });
}
