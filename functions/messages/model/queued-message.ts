import { day } from '../../../shared/kernel/time.ts';
import type { Key, Range } from '../../../shared/table/key.ts';
import type { StoredAttachment } from '../../../shared/uploads/attachments.ts';

/** The records that a received text message created. */
export interface ReceivedIds {
  messageId: string;
  conversationId: string;
  contactId: string;
}

/** A message on its way to the provider, until it is known to be sent or failed. */
export interface QueuedMessage {
  messageId: string;
  conversationId: string;
  contactId: string;
  /** E.164; null for the standard sender of the provider account. */
  from: string | null;
  /** E.164. */
  to: string;
  content: string;
  /** Links to them are signed when the message is sent, because the credentials that sign live only some hours. */
  media: Pick<StoredAttachment, 'key' | 'name' | 'type'>[];
}

/** Milliseconds that a message may wait to be sent. Then it fails, and the table deletes it from the queue. */
export const queuedFor = day;

/** In the contact's partition, so that it is deleted with the contact. */
export const queuedMessageKey = (contactId: string, messageId: string): Key<QueuedMessage> => ({
  partition: ['CONTACT', contactId],
  sort: ['OUTGOING', messageId],
});

/** The messages to a contact that are not sent yet, oldest first. */
export const queuedMessageRange = (contactId: string): Range<QueuedMessage> => ({
  partition: ['CONTACT', contactId],
  under: ['OUTGOING'],
});

/**
 * How long a repeated message is recognised: longer than any provider repeats it, and than a failed one waits for a redrive. Its
 * contact may be deleted meanwhile; it must not come back.
 */
export const recognisedFor = 30 * day;

/** The lock by which a received message is stored once, however often its provider sends it. It has no data but ids. */
export const receivedMessageKey = (digest: string): Key<ReceivedIds> => ({
  partition: ['RECEIVED', digest],
  sort: ['RECEIVED'],
});
