import { encodeTime } from 'ulid';
import { contactKey } from '../../../shared/contacts/contact.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import { hour, second } from '../../../shared/kernel/time.ts';
import type { QueuedMessage } from '../../../shared/messages/queued-message.ts';
import { queuedFor, queuedMessageKey, queuedMessageRange } from '../../../shared/messages/queued-message.ts';
import { failed, resultOf } from '../../../shared/messages/sms-outcomes.ts';
import type { SmsOutcome, SmsProvider } from '../../../shared/messages/sms-provider.ts';
import type { Downloads } from '../../../shared/objects/objects.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { acquireLease } from './lease.ts';
import { lostSender, type SenderSources } from './sender.ts';

/** Seconds in which the provider can fetch an attachment. */
const mediaLifetime = hour / second;

export interface Sending extends SenderSources {
  readonly table: TableWriter;
  readonly sms: SmsProvider;
  readonly downloads: Downloads;
  /** When this message is handled; its lease begins then. */
  readonly now: Date;
  /** Milliseconds to wait for another run that has the message. */
  readonly timeout: number;
}

/** The provider took or refused the message, and the table did not take the record of it. */
export class NotRecorded extends Error {
  readonly messageId: string;
  readonly outcome: SmsOutcome;

  constructor(messageId: string, outcome: SmsOutcome, cause: unknown) {
    super('The provider answered, but the outcome could not be recorded', { cause });
    this.name = 'NotRecorded';
    this.messageId = messageId;
    this.outcome = outcome;
  }
}

/**
 * Sends a queued message and records the outcome; does nothing if it is recorded already. If a run dies between the provider's
 * response and the record, the message is sent again after its lease expires: better twice than never, because the provider does
 * not recognise repetitions.
 * @throws when it cannot be sent now: the provider cannot be reached, or an earlier message to the contact waits; `NotRecorded`
 * when it must not be sent again.
 */
export async function sendQueued(queued: QueuedMessage, sending: Sending): Promise<void> {
  const { table, sms, downloads, now, timeout } = sending;
  const { contactId, messageId, from, to, content } = queued;
  const lease = await acquireLease(table, queuedMessageKey(contactId, messageId), now, timeout);
  if (lease === undefined) {
    return;
  }
  // Read after the lease, because the contact may have opted out meanwhile, the number may be somebody else's, and the earlier message
  // may have been sent.
  const [contact, [first], senderProblem] = await Promise.all([
    table.read(contactKey(contactId)),
    table.list(queuedMessageRange(contactId), { limit: 1 }),
    lostSender(from, sending),
  ]);
  if (contact === undefined) {
    return record(queued, undefined, sending);
  }
  if (contact.data.optedOutAt !== undefined) {
    return record(queued, failed('The contact has opted out of text messages.'), sending);
  }
  if (senderProblem !== undefined) {
    return record(queued, failed(senderProblem), sending);
  }
  if (first !== undefined && first.data.messageId !== messageId) {
    await lease.release();
    throw new Error('An earlier message to this contact is not sent yet');
  }
  const mediaUrls = await Promise.all(
    queued.media.flatMap(({ key, name, type }) => {
      const relative = downloads.relativeKey(key);
      return relative === undefined
        ? []
        : downloads.downloadUrl(relative, { name, type, seconds: mediaLifetime });
    }),
  );
  const message = { id: messageId, from: from ?? undefined, to, content, mediaUrls };
  const outcome = await sms.send(message).catch(async (error: unknown) => {
    if (isOverdue(messageId, now)) {
      return failed('The SMS provider could not be reached within a day. Send the message again.');
    }
    await lease.release();
    throw error;
  });
  await record(queued, outcome, sending).catch((cause: unknown) => {
    throw new NotRecorded(messageId, outcome, cause);
  });
}

/** Whether the message has waited as long as it may: its id begins with the time at which it was queued. */
function isOverdue(messageId: string, now: Date): boolean {
  const time = encodeTime(now.getTime() - queuedFor);
  return messageId.slice(0, time.length) <= time;
}

/** Writes the outcome, if there is one and the message still exists, and removes the message from the queue. */
export async function record(
  { contactId, conversationId, messageId }: QueuedMessage,
  outcome: SmsOutcome | undefined,
  { table }: Pick<Sending, 'table'>,
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
