import type { Key } from '../../../shared/table/key.ts';
import { day } from '../../../shared/time.ts';

/** What a received text message became. */
export interface ReceivedIds {
  messageId: string;
  conversationId: string;
  contactId: string;
}

/** A message on its way to the provider; there until it is known to be sent or failed. */
export interface QueuedMessage {
  messageId: string;
  conversationId: string;
  contactId: string;
  /** E.164; null for the sender that the provider's account uses by default. */
  from: string | null;
  /** E.164. */
  to: string;
  content: string;
  mediaUrls: string[];
}

/** Milliseconds that a message may wait to be sent: as long as the stream tells of it. The table then takes it off the queue. */
export const queuedFor = day;

/** Beside the contact: with the contact it goes away. */
export const queuedMessageKey = (contactId: string, messageId: string): Key<QueuedMessage> => ({
  partition: ['CONTACT', contactId],
  sort: ['OUTGOING', messageId],
});

/** The lock that makes a received message one, however often its provider tells of it. */
export const receivedMessageKey = (digest: string): Key<ReceivedIds> => ({
  partition: ['RECEIVED', digest],
  sort: ['RECEIVED'],
});
