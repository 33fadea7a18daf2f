import { definedOnly } from '../kernel/defined-only.ts';
import { idFromText } from '../kernel/id-at.ts';
import type { DeferralOutcome, Ports } from '../kernel/operation.ts';
import { after, day, type Timestamp, timestamp } from '../kernel/time.ts';
import type { Key, PlatformKey, PlatformRange, Range } from '../table/key.ts';
import type { Action } from '../table/table.ts';

export const receiptKinds = ['sms', 'voice', 'status', 'lead'] as const;
export const receiptStatuses = ['kept', 'applied', 'dropped', 'dead'] as const;

/** What became of a request to one of our webhooks that was not applied at once. It holds nothing of its content. */
export interface WebhookReceipt {
  readonly _id: string;
  /** The name in the webhook's path. */
  readonly provider: string;
  readonly kind: (typeof receiptKinds)[number];
  readonly status: (typeof receiptStatuses)[number];
  readonly reason?: string;
  /** When it came in. */
  readonly at: Timestamp;
  readonly appliedAt?: Timestamp;
  /** The ids of what it became. */
  readonly refs?: Readonly<Record<string, string>>;
}

export const receiptKey = (id: string): Key<WebhookReceipt> => ({
  partition: ['WEBHOOK_RECEIPTS'],
  sort: ['RECEIPT', id],
});

export const receiptRange = (): Range<WebhookReceipt> => ({
  partition: ['WEBHOOK_RECEIPTS'],
  under: ['RECEIPT'],
});

/** The receipt of what came for a number that no organization has. */
export const unassignedReceiptKey = (id: string): PlatformKey<WebhookReceipt> => ({
  partition: ['UNASSIGNED_RECEIPTS'],
  sort: ['RECEIPT', id],
});

export const unassignedReceiptRange = (): PlatformRange<WebhookReceipt> => ({
  partition: ['UNASSIGNED_RECEIPTS'],
  under: ['RECEIPT'],
});

/**
 * A request that was given up, gzipped beside the record, to be tried again. Its dead letter is kept for longer: what erases that one, when
 * its contact is deleted, has it tried again, and a request that was tried is deleted here.
 */
export const deadRequestKey = (id: string): Key<Record<string, never>> => ({
  partition: ['WEBHOOK_RECEIPTS'],
  sort: ['REQUEST', id],
});

export const unassignedDeadRequestKey = (id: string): PlatformKey<Record<string, never>> => ({
  partition: ['UNASSIGNED_RECEIPTS'],
  sort: ['REQUEST', id],
});

/** How long a receipt can be read. A message to a number that nobody has waits as long. */
export const receiptsKeptFor = 30 * day;

/** Days less than the 14 of a dead letter, because the database may take two to delete it. */
const deadRequestsKeptFor = 11 * day;

interface Tables extends Ports<{ organizations: 'write'; platform: 'write' }> {
  readonly now: Date;
}

/** Whose receipt it is, and of what. */
export interface ReceiptSubject extends Pick<WebhookReceipt, 'provider' | 'kind'> {
  /** Undefined as long as nobody has the number. */
  readonly organizationId: string | undefined;
}

/** The actions that store a receipt for the organization, and no longer for nobody. */
export function receiptActions(
  { organizations, platform, now }: Tables,
  organizationId: string,
  receipt: WebhookReceipt,
): Action[] {
  const table = organizations(organizationId);
  const expiresAt = after(now, receiptsKeptFor);
  return [
    table.put(receiptKey(receipt._id), receipt, { expiresAt }),
    platform.delete(unassignedReceiptKey(receipt._id)),
  ];
}

/** The action that stores a receipt as long as nobody has the number. */
export function unassignedReceiptAction(
  { platform, now }: Pick<Tables, 'platform' | 'now'>,
  receipt: WebhookReceipt,
): Action {
  const expiresAt = after(now, receiptsKeptFor);
  return platform.put(unassignedReceiptKey(receipt._id), receipt, { expiresAt });
}

/** Stores what became of a deferred request, with the request itself if it is given up. Doing it again does no harm. */
export async function keepReceipt(
  { organizations, platform, now }: Tables,
  { organizationId, provider, kind }: ReceiptSubject,
  { requestId, receivedAt, status, reason, output, packed }: DeferralOutcome,
): Promise<void> {
  const _id = idFromText(receivedAt, requestId);
  const isApplied = status === 'applied';
  const receipt: WebhookReceipt = {
    ...{ _id, provider, kind, status },
    ...definedOnly({ reason }),
    at: timestamp(receivedAt),
    ...(isApplied && { appliedAt: timestamp(now) }),
    ...definedOnly({ refs: isApplied ? refsIn(output) : undefined }),
  };
  const request = packed === undefined ? undefined : Buffer.from(packed, 'base64');
  const kept = request && { bytes: request, expiresAt: after(receivedAt, deadRequestsKeptFor) };
  const isOver = isApplied || status === 'dropped';
  if (organizationId === undefined) {
    const key = unassignedDeadRequestKey(_id);
    await platform.commit([
      unassignedReceiptAction({ platform, now }, receipt),
      ...(kept ? [platform.put(key, {}, kept)] : []),
      ...(isOver ? [platform.delete(key)] : []),
    ]);
    return;
  }
  const table = organizations(organizationId);
  await platform.commit([
    ...receiptActions({ organizations, platform, now }, organizationId, receipt),
    ...(kept ? [table.put(deadRequestKey(_id), {}, kept)] : []),
    ...(isOver ? [table.delete(deadRequestKey(_id)), platform.delete(unassignedDeadRequestKey(_id))] : []),
  ]);
}

/** The ids in the data of a response: `contactId`, `messageId` and so on. */
function refsIn(output: unknown): WebhookReceipt['refs'] | undefined {
  const { data } = (output ?? {}) as { readonly data?: Readonly<Record<string, unknown>> };
  const ids = Object.entries(data ?? {}).filter(
    (entry): entry is [string, string] => entry[0].endsWith('Id') && typeof entry[1] === 'string',
  );
  return ids.length === 0 ? undefined : Object.fromEntries(ids);
}
