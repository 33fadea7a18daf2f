import { day } from '../../../shared/kernel/time.ts';
import type { Key } from '../../../shared/table/key.ts';

/** The records that a received text message created. */
export interface ReceivedIds {
  messageId: string;
  conversationId: string;
  contactId: string;
}

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
