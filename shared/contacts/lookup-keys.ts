import { toDigest } from '../table/digest.ts';
import type { Key, Range } from '../table/key.ts';

/** The contact that is found. */
export interface FoundContact {
  contactId: string;
}

/** Locks the `externalId` with this digest (`toDigest`), which is unique within the organization. */
export const externalIdLockKey = (digest: string): Key<FoundContact> => ({
  partition: ['EXTERNAL_ID', digest],
  sort: ['EXTERNAL_ID'],
});

/** Tells email addresses apart in look-ups. */
export const emailDigest = (email: string): string =>
  toDigest(email.normalize('NFKC').toLowerCase().normalize('NFKC'));

/** The entry of a contact under its email address, which others may have, too. */
export const emailEntryKey = (
  digest: string,
  { createdAt, _id }: { createdAt: string; _id: string },
): Key<FoundContact> => ({ partition: ['EMAIL', digest], sort: [createdAt, _id] });

/** The contacts with an email address, the oldest first. */
export const emailEntryRange = (digest: string): Range<FoundContact> => ({ partition: ['EMAIL', digest] });

/** Counts the contacts that upserts by the email address with this digest create, so that simultaneous ones create one. */
export const emailClaimKey = (digest: string): Key<never> => ({
  partition: ['EMAIL_CLAIM', digest],
  sort: ['EMAIL_CLAIM'],
});
