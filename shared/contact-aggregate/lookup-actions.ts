import { externalIds, type StoredContact } from '../contacts/contact.ts';
import { emailDigest, emailEntryKey, externalIdLockKey } from '../contacts/lookup-keys.ts';
import { Taken } from '../contacts/taken.ts';
import { toDigest } from '../table/digest.ts';
import { type Action, type TableWriter, VersionConflict } from '../table/table.ts';
import { keyText } from './entries.ts';
import type { LockOptions } from './number-locks.ts';

/** The actions that change by which `externalId` and email address a contact is found. */
export function lookupActions(
  table: TableWriter,
  before: StoredContact | undefined,
  after: StoredContact | undefined,
  { sought = [] }: Pick<LockOptions, 'sought'> = {},
): Action[] {
  const had = before ? externalIds(before) : [];
  const has = after ? externalIds(after) : [];
  const [wasUnder, isUnder] = [emailEntry(before), emailEntry(after)];
  const isMoved = (wasUnder && keyText(wasUnder)) !== (isUnder && keyText(isUnder));
  return [
    ...had.filter((id) => !has.includes(id)).map((id) => table.delete(externalIdLockKey(toDigest(id)))),
    ...has.filter((id) => !had.includes(id)).map((id) => lockAction(table, id, after?._id ?? '', sought)),
    ...(wasUnder !== undefined && isMoved ? [table.delete(wasUnder)] : []),
    ...(isUnder !== undefined && isMoved ? [table.put(isUnder, { contactId: after?._id ?? '' })] : []),
  ];
}

/** The entry under the email address of a contact. */
export const emailEntry = (contact: StoredContact | undefined) =>
  contact?.email ? emailEntryKey(emailDigest(contact.email), contact) : undefined;

function lockAction(
  table: TableWriter,
  externalId: string,
  contactId: string,
  sought: readonly string[],
): Action {
  return table.add(
    externalIdLockKey(toDigest(externalId)),
    { contactId },
    {
      otherwise: (holder) =>
        sought.includes(externalId)
          ? new VersionConflict()
          : new Taken('externalId', holder.contactId, { isNamed: false }),
    },
  );
}
