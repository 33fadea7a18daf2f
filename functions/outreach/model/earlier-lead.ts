import { readContact } from '../../../shared/contacts/holdings.ts';
import type { SentRequest } from '../../../shared/kernel/request.ts';
import { after, day, minute, type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import type { Lead } from './lead.ts';

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

/** The result of an earlier lead, by which a repetition of it is recognised. */
export interface EarlierLead extends ReceivedLead {
  readonly receivedAt: Timestamp;
}

/** Milliseconds within which the same content is a repetition. Source: decisions 10, "Outreach lead, always heard". */
const repeatedWithin = 10 * minute;

/** Longer than a lead can be deferred, in its queue and in the dead-letter queue: its first try may have stored it. */
const contentKnownFor = 30 * day;

/**
 * How long a `webhook-id` is remembered: longer than a replay passes the check of its timestamp, and as long as senders usually try
 * again.
 */
const deliveryKnownFor = 3 * day;

/** The last lead with this content (`digest` of a lead). */
export const leadContentKey = (digest: string): Key<EarlierLead> => ({
  partition: ['OUTREACH', 'CONTENT', digest],
  sort: ['CONTENT'],
});

/** The lead with this `webhook-id`, which all tries and replays of a delivery have. */
export const deliveryKey = (configurationId: string, webhookId: string): Key<EarlierLead> => ({
  partition: ['OUTREACH', 'DELIVERY', toDigest(JSON.stringify([configurationId, webhookId]))],
  sort: ['DELIVERY'],
});

/** The keys of a lead by which its repetitions are recognised; no `delivery` without a `webhook-id`. */
export function repetitionKeys({ configurationId, digest }: Lead, webhookId: string | undefined) {
  return {
    content: leadContentKey(digest),
    delivery: webhookId ? deliveryKey(configurationId, webhookId) : undefined,
  };
}

/** The keys of a lead, and what is at them. */
export interface Repetition {
  readonly keys: ReturnType<typeof repetitionKeys>;
  readonly content: Stored<EarlierLead> | undefined;
  readonly delivery: Stored<EarlierLead> | undefined;
}

/**
 * The lead of which this one is a repetition; undefined if it is none. If the contact was deleted since, only another try of the same
 * delivery is one: somebody who sends the content again wants the contact.
 */
export async function findRepeatedLead(
  table: TableReader,
  { content, delivery }: Repetition,
  sent: SentRequest,
): Promise<ReceivedLead | undefined> {
  if (delivery !== undefined) {
    return delivery.data;
  }
  if (content === undefined || !isRepeatedWithin(content.data, sent)) {
    return undefined;
  }
  const exists =
    sent.wasDeferred === true || (await readContact(table, content.data.contactId)) !== undefined;
  return exists ? content.data : undefined;
}

/**
 * Whether the same content came shortly before this. A deferred lead may be applied later than it came: then it is its own first try, whose
 * response was lost, or one that somebody has sent once more since.
 */
function isRepeatedWithin(earlier: EarlierLead, { receivedAt, wasDeferred }: SentRequest): boolean {
  const since = receivedAt.getTime() - Date.parse(earlier.receivedAt);
  return since <= repeatedWithin && (wasDeferred === true || since >= -repeatedWithin);
}

/**
 * The actions by which repetitions of a lead are recognised. Of simultaneous copies, all but one get a version conflict here, and find
 * the record in their next attempt.
 */
export function rememberActions(
  table: TableWriter,
  { keys, content }: Repetition,
  received: ReceivedLead,
  { receivedAt }: SentRequest,
): Action[] {
  const lead = { ...received, receivedAt: timestamp(receivedAt) };
  const expiresAt = after(receivedAt, contentKnownFor);
  return [
    content === undefined
      ? table.add(keys.content, lead, { expiresAt })
      : table.replace(content, lead, { expiresAt }),
    ...(keys.delivery === undefined
      ? []
      : [table.add(keys.delivery, lead, { expiresAt: after(receivedAt, deliveryKnownFor) })]),
  ];
}
