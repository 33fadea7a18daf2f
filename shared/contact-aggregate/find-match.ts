import { contactKey, ownNumber, type StoredContact } from '../contacts/contact.ts';
import { emailDigest, emailEntryRange, externalIdLockKey } from '../contacts/lookup-keys.ts';
import { phoneLockKey } from '../contacts/phone-numbers.ts';
import { involvedPeople, type Scope, sees } from '../organizations/visibility.ts';
import { toDigest } from '../table/digest.ts';
import type { TableReader } from '../table/table.ts';
import { lockHolder, type ReleasedLock, releasedLock } from './number-locks.ts';

/** What finds a contact. */
export const matchFields = ['phone', 'email', 'externalId'] as const;
export type MatchField = (typeof matchFields)[number];

/** A number in E.164, an email address or an `externalId` whose contact is sought. */
export interface Sought {
  readonly match: MatchField;
  readonly value: string;
}

export interface Match {
  /** The contact that was found. Whether it may be shown, and still matches, says its record. */
  readonly contactId: string | undefined;
  /** The lock of a phone number that no contact has. */
  readonly released?: ReleasedLock | undefined;
}

/** Finds the contact that matches; of several with the email address, the oldest in the scope, and the oldest of all if none is. */
export async function findMatch(table: TableReader, scope: Scope, { match, value }: Sought): Promise<Match> {
  switch (match) {
    case 'phone': {
      const lock = await table.read(phoneLockKey(value));
      return { contactId: lockHolder(lock), released: releasedLock(lock) };
    }
    case 'externalId': {
      const lock = await table.read(externalIdLockKey(toDigest(value)));
      return { contactId: lock?.data.contactId };
    }
    case 'email':
      return { contactId: await findByEmail(table, scope, value) };
  }
}

/** Whether this contact matches. */
export function isMatch(contact: StoredContact, { match, value }: Sought): boolean {
  switch (match) {
    case 'phone':
      return ownNumber(contact.phoneNumbers, value) !== undefined;
    case 'externalId':
      return contact.externalId === value;
    case 'email':
      return contact.email !== null && emailDigest(contact.email) === emailDigest(value);
  }
}

/** Contacts that are read at once. */
const pageSize = 100;

async function findByEmail(table: TableReader, scope: Scope, email: string): Promise<string | undefined> {
  let oldest: string | undefined;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const range = emailEntryRange(emailDigest(email));
    const page = await table.page(range, { limit: pageSize, consistent: true, cursor });
    const ids = page.records.map(({ data }) => data.contactId);
    if (ids.length === 0 || (oldest === undefined && ids.length === 1)) {
      return oldest ?? ids[0];
    }
    const contacts = await table.readMany(ids.map((id) => contactKey(id)));
    const seen = contacts.find((contact) => contact && sees(scope, involvedPeople(contact.data)));
    if (seen !== undefined) {
      return seen.data._id;
    }
    oldest ??= ids[0];
    cursor = page.nextCursor;
  }
  return oldest;
}
