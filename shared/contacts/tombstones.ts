import { Failure } from '../kernel/failure.ts';
import type { SentRequest } from '../kernel/request.ts';
import { invocationLimits } from '../kernel/serve/invocation-limits.ts';
import { after, day, epochSeconds, second, type Timestamp, timestamp } from '../kernel/time.ts';
import type { Key, PlatformKey, PlatformRange, Range } from '../table/key.ts';
import type { Action, Stored, TableWriter } from '../table/table.ts';
import { contactSenders, type StoredContact } from './contact.ts';
import { numberLockName } from './phone-numbers.ts';

/** The remains of a deleted contact, without its number or name: for a while they keep requests about it from bringing it back. */
export interface ContactTombstone {
  /** When its deletion was committed at the latest. Requests that came in until then are not applied any more. */
  at: Timestamp;
}

/** Milliseconds that they are stored: twice as long as dead letters are, because a redrive starts their time anew. */
const tombstoneLifetime = 30 * day;

/** Two clocks differ by less. */
export const clockDifference = second;

/** Milliseconds from the beginning of a request that deletes a contact to its commit, at most: after its time limit it cannot commit. */
const longestDeletion = invocationLimits.http + clockDifference;

/** By the contact's id. */
export const contactTombstoneKey = (contactId: string): Key<ContactTombstone> => ({
  partition: ['ERASED_CONTACTS'],
  sort: [contactId],
});

export const contactTombstoneRange = (): Range<ContactTombstone> => ({ partition: ['ERASED_CONTACTS'] });

/** By the digest (`numberLockName`) of a number or other address that a contact of this organization had. */
export const senderTombstoneKey = (digest: string, organizationId: string): PlatformKey<never> => ({
  partition: ['ERASED_SENDER', digest],
  sort: [organizationId],
});

/** In all organizations. */
export const senderTombstoneRange = (digest: string): PlatformRange<never> => ({
  partition: ['ERASED_SENDER', digest],
});

/** Whether a request of this time came in before the last contact with the number or address was deleted. */
export const isBeforeTombstone = (tombstone: Stored<never, 'platform'>, receivedAt: Timestamp): boolean =>
  receivedAt <= String(tombstone.attributes?.erasedAt ?? '');

/**
 * The actions that remember a deletion, by the contact's id and by digests of its numbers. They are part of the transaction that deletes
 * it, so that no deferred request about it can be applied afterwards. Nobody knows when the transaction will be committed, so it says the
 * latest time at which it can be; whoever processes the deletion makes that earlier.
 */
export function tombstoneActions(
  { table, platform }: { table: TableWriter; platform: TableWriter<'platform'> },
  contact: Pick<StoredContact, '_id' | 'phoneNumbers' | 'sender' | 'formerSenders' | 'holdings'>,
  now: Date,
): Action[] {
  const erasedAt = timestamp(after(now, longestDeletion));
  const expiresAt = after(now, tombstoneLifetime);
  return [
    ...[contact._id, ...(contact.holdings?.mergedIds ?? [])].map((id) =>
      table.put(contactTombstoneKey(id), { at: erasedAt }, { expiresAt }),
    ),
    ...contactSenders(contact).map((sender) =>
      platform.updateAction(senderTombstoneKey(numberLockName(sender), table.organizationId), {
        update: 'SET erasedAt = :erasedAt, expiresAt = :expiresAt',
        values: { erasedAt, expiresAt: epochSeconds(expiresAt) },
      }),
    ),
  ];
}

/** For a request of a provider, which may have been deferred: see `requireNoTombstoneSince`. One that has just come in needs no check. */
export async function requireNoTombstone(
  platform: TableWriter<'platform'>,
  organizationId: string,
  sender: string | undefined,
  { wasDeferred, receivedAt }: Pick<SentRequest, 'wasDeferred' | 'receivedAt'>,
): Promise<Action[]> {
  return !wasDeferred || sender === undefined
    ? []
    : requireNoTombstoneSince(platform, organizationId, sender, receivedAt);
}

/**
 * Requires that a request did not come in before a contact with this number or address was deleted.
 * @returns the actions that require the same of its transaction, as the contact may be deleted before that.
 * @throws `DeletedSince`, a 404 with which a deferred request is dropped; so does the commit.
 */
export async function requireNoTombstoneSince(
  platform: TableWriter<'platform'>,
  organizationId: string,
  sender: string,
  receivedAt: Date,
): Promise<Action[]> {
  const key = senderTombstoneKey(numberLockName(sender), organizationId);
  const since = timestamp(receivedAt);
  const tombstone = await platform.read(key);
  if (tombstone !== undefined && isBeforeTombstone(tombstone, since)) {
    throw new DeletedSince();
  }
  return [
    platform.require(key, {
      when: 'attribute_not_exists(erasedAt) OR erasedAt < :since',
      values: { since },
      otherwise: () => new DeletedSince(),
    }),
  ];
}

/** The contact that a request is about was deleted after it came in. */
export class DeletedSince extends Failure {
  constructor() {
    super('NOT_FOUND', 'The contact with this number was deleted after this came in.');
  }
}
