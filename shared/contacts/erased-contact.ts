import { Failure } from '../kernel/failure.ts';
import type { SentRequest } from '../kernel/request.ts';
import { day, type Timestamp, timestamp } from '../kernel/time.ts';
import { digestOf } from '../table/digest.ts';
import type { Key, PlatformKey, PlatformRange, Range } from '../table/key.ts';
import type { TableReader } from '../table/table.ts';

/** What stays for a while of a deleted contact, so that nothing that was kept about it comes back: neither number nor name. */
export interface ErasedContact {
  /** When it was deleted. */
  at: Timestamp;
}

/** Milliseconds that this is kept: twice as long as what failed is, because a redrive begins its time anew. */
export const erasureKnownFor = 30 * day;

/** By the contact's id. */
export const erasedContactKey = (contactId: string): Key<ErasedContact> => ({
  partition: ['ERASED_CONTACTS'],
  sort: [contactId],
});

export const erasedContactRange = (): Range<ErasedContact> => ({ partition: ['ERASED_CONTACTS'] });

/** By the digest of a number (E.164) or other address that a contact of this organization had. */
export const erasedSenderKey = (digest: string, organizationId: string): PlatformKey<ErasedContact> => ({
  partition: ['ERASED_SENDER', digest],
  sort: [organizationId],
});

/** In all organizations. */
export const erasedSenderRange = (digest: string): PlatformRange<ErasedContact> => ({
  partition: ['ERASED_SENDER', digest],
});

/**
 * For a request that was kept and is tried again: what came in before a contact with this number or address was deleted belongs to
 * what was deleted.
 * @throws a 404 `Failure`, with which a kept request is dropped.
 */
export async function requireNotErased(
  platform: TableReader<'platform'>,
  organizationId: string,
  sender: string | undefined,
  { earlier, receivedAt }: Pick<SentRequest, 'earlier' | 'receivedAt'>,
): Promise<void> {
  if (earlier === undefined || sender === undefined) {
    return;
  }
  const erased = await platform.read(erasedSenderKey(digestOf(sender), organizationId));
  if (erased !== undefined && timestamp(receivedAt) <= erased.data.at) {
    throw new Failure('NOT_FOUND', 'The contact with this number was deleted after this came in.');
  }
}
