import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import { minute } from '../../../shared/kernel/time.ts';
import type { SmsOutcome } from '../../../shared/messages/sms-provider.ts';
import { NotRecorded } from './send-queued.ts';

/** A message that could not be sent, in the queue of those that are tried again. It names records and holds none of their data. */
export interface DelayedMessage {
  readonly organizationId: string;
  readonly contactId: string;
  readonly messageId: string;
  /** The tries until now. */
  readonly tries: number;
  /** What the provider answered, if only the record of it failed: then the message must not be sent again. */
  readonly outcome?: SmsOutcome;
}

/** Before each try. The last one repeats; it is the longest that a queue delays a message. */
const delays = [minute, 5 * minute, 15 * minute] as const;

/**
 * Puts a message off until its next try.
 * @throws when the queue does not take it.
 */
export async function delay(
  queue: MessageQueue,
  { organizationId, contactId, messageId, tries, outcome }: DelayedMessage,
  reason: unknown,
): Promise<void> {
  const known = reason instanceof NotRecorded && reason.messageId === messageId ? reason.outcome : outcome;
  const message: DelayedMessage = {
    organizationId,
    contactId,
    messageId,
    tries,
    ...(known && { outcome: known }),
  };
  await queue.send(JSON.stringify(message), {
    group: organizationId,
    delay: delays[Math.min(tries, delays.length) - 1] ?? minute,
  });
}
