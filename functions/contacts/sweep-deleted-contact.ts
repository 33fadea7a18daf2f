import { contactKey, contactRange } from '../../shared/contacts/contact.ts';
import { unpacked } from '../../shared/kernel/packing.ts';
import { streamOperation, type TableChange } from '../../shared/kernel/trigger.ts';
import type { Reminder } from '../../shared/reminders/reminder.ts';
import { reminderEntryKey } from '../../shared/reminders/reminder.ts';
import { type Key, partsOf } from '../../shared/table/key.ts';
import { contactIn, organizationIn } from '../../shared/table/spaces.ts';
import type { RawRow, TableWriter } from '../../shared/table/table.ts';
import type { TrainingSnapshot } from '../../shared/training/snapshot.ts';
import { snapshotEntryKey } from '../../shared/training/snapshot.ts';

export default streamOperation({
  reader: 'background',
  on: { change: 'REMOVE', sortPrefix: 'CONTACT' },
  summary: 'Delete what a deleted contact owned: notes, conversations, messages',
  uses: { organizations: 'write' },
  async run(changes, { organizations }) {
    for (const { organizationId, contactId } of changes.flatMap(deletedContact)) {
      await sweep(organizations(organizationId), contactId);
    }
  },
});

/**
 * Continues where an interrupted run ended, because deleted rows are not found again. So a row is deleted after its entry in a
 * list, which only the row leads to.
 */
async function sweep(table: TableWriter, contactId: string): Promise<void> {
  const { partition } = contactKey(contactId);
  for await (const rows of table.rows(contactRange(contactId), { consistent: true })) {
    await table.deleteMany(rows.flatMap(entryOf));
    await table.deleteMany(rows.map(({ sk }) => ({ partition, sort: partsOf(sk) })));
  }
}

/** The entry of a row's record in its creator's list; none if it has none. */
function entryOf({ sk, data }: RawRow): Key<unknown>[] {
  if (data === undefined) {
    return [];
  }
  switch (partsOf(sk)[0]) {
    case 'REMINDER':
      return [reminderEntryKey(unpacked<Reminder>(data))];
    case 'SNAPSHOT': {
      const { createdBy, _id } = unpacked<TrainingSnapshot>(data);
      return [snapshotEntryKey(createdBy, _id)];
    }
    default:
      return [];
  }
}

/** The contact that a change deleted; none for any other change. */
function deletedContact({ partition, sort }: TableChange): { organizationId: string; contactId: string }[] {
  const organizationId = organizationIn(partition);
  const contactId = contactIn(partition);
  const isContact = organizationId !== undefined && contactId !== undefined && sort === 'CONTACT';
  return isContact ? [{ organizationId, contactId }] : [];
}
