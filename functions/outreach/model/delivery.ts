import { day } from '../../../shared/kernel/time.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import type { Key } from '../../../shared/table/key.ts';

/** The result of a lead. */
export interface ReceivedLead {
  readonly contactId: string;
  readonly conversationId: string;
  readonly applicationId: string | null;
  /** Whether it created the contact. */
  readonly isNew: boolean;
  /** Custom fields that did not fit into the contact. */
  readonly omittedFields: number;
}

/**
 * How long a signed delivery is remembered: longer than a replay passes the check of its timestamp, and as long as senders usually
 * try again.
 */
export const deliveryKeptFor = 3 * day;

/** The result of a signed delivery, by the `webhook-id` that all tries and replays of it have. */
export const deliveryKey = (configurationId: string, webhookId: string): Key<ReceivedLead> => ({
  partition: ['OUTREACH', 'DELIVERY', digestOf(JSON.stringify([configurationId, webhookId]))],
  sort: ['DELIVERY'],
});
