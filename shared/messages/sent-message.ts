import { day } from '../kernel/time.ts';
import type { PlatformKey } from '../table/key.ts';

/** Where a message is that a provider has taken. It has no data but ids and the number of the organization. */
export interface SentMessage {
  readonly organizationId: string;
  readonly contactId: string;
  readonly conversationId: string;
  readonly messageId: string;
  /** The number that it left from; null for the standard sender of the provider account. */
  readonly from: string | null;
}

/** How long a provider's reports about a message are understood: longer than it tries to deliver one. */
export const reportedFor = 30 * day;

/** Finds a message by the digest of the provider's id, which is all that a report names. It is deleted with the contact. */
export const sentMessageKey = (sidDigest: string): PlatformKey<SentMessage> => ({
  partition: ['SENT_MESSAGE', sidDigest],
  sort: ['SENT_MESSAGE'],
});
