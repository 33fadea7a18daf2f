import { contactKey } from '../../../shared/contacts/contact.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import { failed, resultOf } from '../../../shared/messages/sms-outcomes.ts';
import type { SmsOutcome, SmsProvider } from '../../../shared/messages/sms-provider.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { acquireLease } from './lease.ts';
import type { QueuedMessage } from './queued-message.ts';
import { queuedMessageKey } from './queued-message.ts';

/**
 * Attempts at a message before it counts as failed: as many as the stream makes at least, however the batch around it goes. So
 * no message stays `queued` because its provider is out of reach.
 */
const mostAttempts = 6;

export interface Sending {
  readonly table: TableWriter;
  readonly sms: SmsProvider;
  /** When it is this message's turn: its lease counts from here. */
  readonly now: Date;
  /** Milliseconds that it may wait for another run which has the message. */
  readonly timeout: number;
}

/**
 * Sends a queued message and records what became of it. Told of the same message again, it does nothing once that is recorded. A
 * run that dies between the provider's answer and the record has the message sent once more when its lease has run out: rather
 * twice than never, since the provider cannot tell repetitions.
 * @throws when the provider cannot be reached, to be told of the message again.
 */
export async function sendQueued(queued: QueuedMessage, sending: Sending): Promise<void> {
  const { table, sms, now, timeout } = sending;
  const { contactId, messageId, from, to, content, mediaUrls } = queued;
  const lease = await acquireLease(table, queuedMessageKey(contactId, messageId), now, timeout);
  if (lease === undefined) {
    return;
  }
  // Only now: until the lease, the contact had time to opt out.
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

/** Writes the outcome, where there is one and still a message to have it, and takes the message off the queue. */
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
