import type { StoredContact } from '../../shared/contacts/contact.ts';
import { streamOperation, type TableChange } from '../../shared/kernel/trigger.ts';
import { contactIn, organizationIn } from '../../shared/table/spaces.ts';
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
      await sweepContact(tables, contactId, { now, newId }, isTimeUp);
      await (contact && endErasure(tables, contact, now));
    }
  },
});

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
  return organizationId === undefined || contactId === undefined || sort !== 'CONTACT'
    ? []
    : [{ organizationId, contactId, contact: before as StoredContact | undefined }];
}
