import { contactKey, contactRange } from '../../shared/contacts/contact.ts';
import { type Packed, unpacked } from '../../shared/kernel/packing.ts';
import { streamOperation, type TableChange } from '../../shared/kernel/trigger.ts';
import type { Reminder } from '../../shared/reminders/reminder.ts';
import { reminderEntryKey } from '../../shared/reminders/reminder.ts';
import { type Key, partsOf } from '../../shared/table/key.ts';
import { contactIn, organizationIn } from '../../shared/table/spaces.ts';
import type { RawRow, Step, TableWriter } from '../../shared/table/table.ts';
import type { TrainingSnapshot } from '../../shared/training/snapshot.ts';
import { snapshotEntryKey } from '../../shared/training/snapshot.ts';

/** Records deleted in one transaction: few enough for its limit of 4 MB, whatever their size. */
const chunk = 25;

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

/** Continues where an interrupted run ended, because deleted rows are not found again. */
async function sweep(table: TableWriter, contactId: string): Promise<void> {
  for await (const rows of table.rows(contactRange(contactId), { consistent: true })) {
    for (let start = 0; start < rows.length; start += chunk) {
      const swept = rows.slice(start, start + chunk);
      await table.commit(swept.flatMap((row) => sweepingSteps(table, contactId, row)));
    }
  }
}

/** The steps that delete a row of a contact, and its entry in a list. */
function sweepingSteps(table: TableWriter, contactId: string, { sk, data }: RawRow): Step[] {
  const { partition } = contactKey(contactId);
  const sort = partsOf(sk);
  const erasing = table.delete({ partition, sort });
  const entry = data === undefined ? undefined : entryOf(sort[0], data);
  return entry === undefined ? [erasing] : [erasing, table.delete(entry)];
}

/** The entry of a record in its creator's list; undefined if it has none. */
function entryOf(kind: string | undefined, data: Packed): Key<unknown> | undefined {
  switch (kind) {
    case 'REMINDER':
      return reminderEntryKey(unpacked<Reminder>(data));
    case 'SNAPSHOT': {
      const { createdBy, _id } = unpacked<TrainingSnapshot>(data);
      return snapshotEntryKey(createdBy, _id);
    }
    default:
      return undefined;
  }
}

/** The contact that a change deleted; none for any other change. */
function deletedContact({ partition, sort }: TableChange): { organizationId: string; contactId: string }[] {
  const organizationId = organizationIn(partition);
  const contactId = contactIn(partition);
  const isContact = organizationId !== undefined && contactId !== undefined && sort === 'CONTACT';
  return isContact ? [{ organizationId, contactId }] : [];
}
