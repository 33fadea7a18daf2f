import type { StoredContact } from '../../../../shared/contacts/contact.ts';
import {
  type ErasedContact,
  erasedContactKey,
  erasedSenderKey,
  erasureKnownFor,
} from '../../../../shared/contacts/erased-contact.ts';
import { after, second, timestamp } from '../../../../shared/kernel/time.ts';
import type { ReminderTables } from '../../../../shared/reminders/reminder.ts';
import { digestOf } from '../../../../shared/table/digest.ts';

/** What of a deleted contact leads to what was kept about it elsewhere. */
export type ErasedPerson = Pick<StoredContact, '_id' | 'phoneNumbers' | 'sender'>;

/**
 * Remembers that a contact was deleted, by its id and by digests of its numbers: what was kept because it could not be applied then
 * ends with it.
 * @param at to the second, rounded down.
 */
export async function rememberErasure(
  { table, platform }: ReminderTables,
  { _id, phoneNumbers, sender }: ErasedPerson,
  at: Date,
  now: Date,
): Promise<void> {
  const erased: ErasedContact = { at: timestamp(after(at, second)) };
  const options = { expiresAt: after(now, erasureKnownFor) };
  const senders = [...phoneNumbers.map(({ value }) => value), ...(sender === undefined ? [] : [sender])];
  await table.commit([
    table.put(erasedContactKey(_id), erased, options),
    ...senders.map((one) =>
      platform.put(erasedSenderKey(digestOf(one), table.organizationId), erased, options),
    ),
  ]);
}
