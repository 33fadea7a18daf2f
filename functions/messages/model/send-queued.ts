import { contactKey } from '../../../shared/contacts/contact.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import { failed, resultOf } from '../../../shared/messages/sms-outcomes.ts';
import type { SmsOutcome, SmsProvider } from '../../../shared/messages/sms-provider.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { acquireLease } from './lease.ts';
import type { QueuedMessage } from './queued-message.ts';
import { queuedMessageKey } from './queued-message.ts';

/**
 * Tries before a message fails: the fewest that the stream makes, whatever happens to the batch. So no message stays `queued`
 * because its provider is unavailable.
 */
const mostAttempts = 6;

export interface Sending {
  readonly table: TableWriter;
  readonly sms: SmsProvider;
  /** When this message is handled; its lease begins then. */
  readonly now: Date;
  /** Milliseconds to wait for another run that has the message. */
  readonly timeout: number;
}

/**
 * Sends a queued message and records the outcome; does nothing if it is recorded already. If a run dies between the provider's
 * response and the record, the message is sent again after its lease expires: better twice than never, because the provider does
 * not recognise repetitions.
 * @throws when the provider cannot be reached, so that the stream delivers the message again.
 */
export async function sendQueued(queued: QueuedMessage, sending: Sending): Promise<void> {
  const { table, sms, now, timeout } = sending;
  const { contactId, messageId, from, to, content, mediaUrls } = queued;
  const lease = await acquireLease(table, queuedMessageKey(contactId, messageId), now, timeout);
  if (lease === undefined) {
    return;
  }
  // Read after the lease, because the contact may have opted out meanwhile.
  const contact = await table.read(contactKey(contactId));
  if (contact === undefined) {
    return record(queued, undefined, sending);
  }
  if (contact.data.optedOutAt !== undefined) {
    return record(queued, failed('The contact has opted out of text messages.'), sending);
  }
  const message = { id: messageId, from: from ?? undefined, to, content, mediaUrls };
  const outcome = await sms.send(message).catch(async (error: unknown) => {
    if (lease.attempt >= mostAttempts) {
      return failed('The SMS provider could not be reached. Send the message again.');
    }
    await lease.release();
    throw error;
  });
  await record(queued, outcome, sending);
}

/** Writes the outcome, if there is one and the message still exists, and removes the message from the queue. */
async function record(
  { contactId, conversationId, messageId }: QueuedMessage,
  outcome: SmsOutcome | undefined,
  { table }: Sending,
): Promise<void> {
  await table.optimistically(async () => {
    const message = await table.read(messageKey(contactId, conversationId, messageId));
    await table.commit([
      ...(message === undefined || outcome === undefined
        ? []
        : [table.replace(message, { ...message.data, ...resultOf(outcome) })]),
      table.delete(queuedMessageKey(contactId, messageId)),
    ]);
  });
}
