import { contactKey, type StoredContact } from '../../shared/contacts/contact.ts';
import { forwardKey } from '../../shared/contacts/holdings.ts';
import { streamOperation, type TableChange } from '../../shared/kernel/trigger.ts';
import { joined } from '../../shared/table/key.ts';
import { contactIn, organizationIn } from '../../shared/table/spaces.ts';
import type { TableReader } from '../../shared/table/table.ts';
import { endErasure } from './model/erasure/end-erasure.ts';
import { sweepContact, sweepTimer } from './model/erasure/sweep-contact.ts';

export default streamOperation({
  reader: 'background',
  on: { change: 'REMOVE', sortPrefix: 'CONTACT' },
  summary: 'Delete everything stored about a deleted contact',
  uses: { organizations: 'write', platform: 'write' },
  async run(changes, { organizations, platform, now, newId }) {
    const isTimeUp = sweepTimer();
    for (const { organizationId, contactId, contact } of changes.flatMap(deletedContact)) {
      const tables = { table: organizations(organizationId), platform };
      if (await hasRemains(tables.table, contactId)) {
        continue;
      }
      await sweepContact(tables, contactId, { now, newId }, isTimeUp);
      await (contact && endErasure(tables, contact, now));
    }
  },
});

/** The keys of a contact, and of what is left of one that was merged: whichever goes last takes everything with it. */
const sorts = [contactKey('-').sort, forwardKey('-').sort].map(joined);

/** Whether the contact is only merged into another one, or is there again. */
async function hasRemains(table: TableReader, contactId: string): Promise<boolean> {
  const remains = await table.readMany<unknown>([contactKey(contactId), forwardKey(contactId)]);
  return remains.some((record) => record !== undefined);
}

interface DeletedContact {
  readonly organizationId: string;
  readonly contactId: string;
  /** As it was; undefined if the change shows no more than its key. */
  readonly contact: StoredContact | undefined;
}

/**
 * The contact that a change deleted; none for any other change. Its key is enough: a batch that failed, and from which deleted contacts
 * were taken, has nothing else.
 */
function deletedContact({ partition, sort, before }: TableChange): DeletedContact[] {
  const organizationId = organizationIn(partition);
  const contactId = contactIn(partition);
  return organizationId === undefined || contactId === undefined || !sorts.includes(sort)
    ? []
    : [
        {
          organizationId,
          contactId,
          contact: sort === sorts[0] ? (before as StoredContact | undefined) : undefined,
        },
      ];
}
