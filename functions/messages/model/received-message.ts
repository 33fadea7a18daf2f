import { day } from '../../../shared/kernel/time.ts';
import type { Key } from '../../../shared/table/key.ts';

/** The records that a received text message created. */
export interface ReceivedIds {
  messageId: string;
  conversationId: string;
  contactId: string;
}

/**
 * How long a repeated message is recognised: longer than any provider repeats it, and longer than a failed one waits for a redrive. If
 * its contact was deleted since, a repetition must not bring it back.
 */
export const recognisedFor = 30 * day;

/** Locks a received message, which is stored once however often its provider sends it. It holds only ids. */
export const receivedMessageKey = (digest: string): Key<ReceivedIds> => ({
  partition: ['RECEIVED', digest],
  sort: ['RECEIVED'],
});
