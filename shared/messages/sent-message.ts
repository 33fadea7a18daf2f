import type { PlatformKey } from '../table/key.ts';

/** Where a message that the provider has taken is stored. It holds only ids and the number of the organization. */
export interface SentMessage {
  readonly organizationId: string;
  readonly contactId: string;
  readonly conversationId: string;
  readonly messageId: string;
  /** The number that it was sent from; null for the standard sender of the provider account. */
  readonly from: string | null;
}

/** Finds a message by the digest of the provider's id, which is all that a report names. It is deleted with the contact. */
export const sentMessageKey = (sidDigest: string): PlatformKey<SentMessage> => ({
  partition: ['SENT_MESSAGE', sidDigest],
  sort: ['SENT_MESSAGE'],
});
