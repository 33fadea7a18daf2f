import { contactSenders, type StoredContact } from '../../../../shared/contacts/contact.ts';
import { numberLockName } from '../../../../shared/contacts/phone-numbers.ts';
import {
  clockDifference,
  contactTombstoneKey,
  senderTombstoneKey,
} from '../../../../shared/contacts/tombstones.ts';
import { after, timestamp } from '../../../../shared/kernel/time.ts';
import type { ReminderTables } from '../../../../shared/notes/reminder.ts';
import { VersionConflict } from '../../../../shared/table/table.ts';

/**
 * Says that a deletion was committed by now, so that what comes in from now on is applied even if it has to be deferred: the transaction
 * could only say when it would be committed at the latest. Does nothing the second time, and for a number of a contact that was deleted
 * later.
 */
export async function endErasure(
  { table, platform }: ReminderTables,
  contact: StoredContact,
  now: Date,
): Promise<void> {
  const latest = (await table.read(contactTombstoneKey(contact._id)))?.data.at;
  const erasedAt = timestamp(after(now, clockDifference));
  if (latest === undefined || latest <= erasedAt) {
    return;
  }
  for (const sender of contactSenders(contact)) {
    await platform
      .update(senderTombstoneKey(numberLockName(sender), table.organizationId), {
        update: 'SET erasedAt = :erasedAt',
        when: 'erasedAt = :latest',
        values: { erasedAt, latest },
      })
      .catch(ignoreConflict);
  }
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof VersionConflict)) {
    throw error;
  }
}
