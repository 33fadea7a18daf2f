import { lockHolder, releasedLock } from '../../../shared/contact-aggregate/number-locks.ts';
import { hasOptedOut } from '../../../shared/contacts/consent.ts';
import { contactSenders, type StoredContact } from '../../../shared/contacts/contact.ts';
import { readContact } from '../../../shared/contacts/holdings.ts';
import { phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import { failed } from '../../../shared/kernel/providers/sms-outcomes.ts';
import type { SmsOutcome, SmsProvider } from '../../../shared/kernel/providers/sms-provider.ts';
import { hour, second, timestamp } from '../../../shared/kernel/time.ts';
import type { QueuedMessage } from '../../../shared/messages/queued-message.ts';
import { hasWaited, queuedFor, queuedMessageKey } from '../../../shared/messages/queued-message.ts';
import { acquireLease } from '../../../shared/table/lease.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import { leaseDuration } from './lease-time.ts';
import { toProgress } from './progress.ts';
import { type Recording, recordProgress } from './record-progress.ts';
import { findLostSender, type SenderSources } from './sender.ts';
import { statusPath } from './status-callback.ts';
import type { Answered } from './text-job.ts';

/** Seconds in which the provider can fetch an attachment. */
const mediaLifetime = hour / second;

/** Milliseconds for which a message that cannot be sent holds up later ones to its contact. After that they pass it. */
const holdsFor = hour;

/** `now` is when this message is handled; its lease begins then. */
export interface Sending extends SenderSources, Recording {
  readonly table: Recording['table'];
  /** The job that it is sent for: only the same job, delivered again, takes over a lease that was not released. */
  readonly holder: string;
  readonly now: Date;
  /** Milliseconds to wait for another run that has the message. */
  readonly timeout: number;
  readonly sms: SmsProvider;
}

/** The provider took or refused the message, and the table did not take the record of it. */
export class NotRecorded extends Error {
  readonly answered: Answered;

  constructor(answered: Answered, cause: unknown) {
    super('The provider responded, but the outcome could not be recorded', { cause });
    this.name = 'NotRecorded';
    this.answered = answered;
  }
}

/**
 * Sends a queued message and records the outcome; does nothing if it is recorded already. If a run dies between the provider's
 * response and the record, the message is sent again when the queue delivers its entry again, unless the provider has reported about
 * it by then: better twice than never, because the provider does not recognise repetitions.
 * @throws when it cannot be sent now: the provider cannot be reached, or another run has it; `NotRecorded` when it must not be sent
 * again.
 */
export async function sendQueued(queued: QueuedMessage, sending: Sending): Promise<void> {
  const { table, sms, downloads, now, timeout } = sending;
  const { contactId, conversationId, messageId, from, to, content } = queued;
  // A run that does not release it has died, or could not record the provider's response: the queue delivers its job again, with that
  // response if there is one.
  const leasing = { now, duration: leaseDuration, timeout, holder: sending.holder };
  const lease = await acquireLease(table, queuedMessageKey(messageId), leasing);
  if (lease === undefined) {
    return;
  }
  // Read after the lease was acquired, because the number may have opted out, or got another owner, while it waited.
  const [contact, senderProblem] = await Promise.all([
    readContact(table, contactId),
    findLostSender(from, sending),
  ]);
  if (contact === undefined) {
    return record(queued, undefined, sending);
  }
  if (!queued.evenIfOptedOut && (await refusesTexts(table, contact.data, to))) {
    return record(queued, failed('OPTED_OUT', 'The contact has opted out of text messages.'), sending);
  }
  if (senderProblem !== undefined) {
    return record(queued, failed('NUMBER_LOST', senderProblem), sending);
  }
  const mediaUrls = await Promise.all(
    queued.media.flatMap(({ key, name, type }) => {
      const relative = downloads.relativeKey(key);
      return relative === undefined
        ? []
        : downloads.downloadUrl(relative, { name, type, seconds: mediaLifetime });
    }),
  );
  const outcome = await sms
    .send({
      id: messageId,
      from: from ?? undefined,
      to,
      content,
      mediaUrls,
      statusPath: statusPath({ organizationId: table.organizationId, conversationId, messageId, from }),
    })
    .catch(async (error: unknown) => {
      if (hasWaited(queued, queuedFor, now)) {
        const reason = 'The SMS provider could not be reached within a day. Send the message again.';
        return failed('EXPIRED', reason);
      }
      await lease.release();
      throw error;
    });
  await record(queued, outcome, sending).catch((cause: unknown) => {
    throw new NotRecorded({ messageId, outcome }, cause);
  });
}

/** Whether the number has opted out, whichever contact has it now. */
async function refusesTexts(table: TableReader, contact: StoredContact, number: string): Promise<boolean> {
  if (contactSenders(contact).includes(number)) {
    return hasOptedOut(contact, number);
  }
  const lock = await table.read(phoneLockKey(number));
  const holderId = lockHolder(lock);
  const holder = holderId === undefined ? undefined : await readContact(table, holderId);
  return holder === undefined ? releasedLock(lock)?.consent.sms === 'out' : hasOptedOut(holder.data, number);
}

/** Whether a message has been tried for so long that later ones may pass it. */
export function mayBePassed(queued: QueuedMessage, now: Date): boolean {
  return hasWaited(queued, holdsFor, now);
}

/** Records the outcome, if there is one and the message still exists, and removes the message from the queue. */
export async function record(
  queued: QueuedMessage,
  outcome: SmsOutcome | undefined,
  recording: Recording,
): Promise<void> {
  const { table, now } = recording;
  const known = outcome && (await recordProgress(recording, queued, toProgress(outcome, timestamp(now))));
  // The record of progress has removed it.
  if (known === undefined) {
    await table.commit([table.delete(queuedMessageKey(queued.messageId))]);
  }
}
