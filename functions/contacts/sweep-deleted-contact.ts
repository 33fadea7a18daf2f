import type { StoredContact } from '../../shared/contacts/contact.ts';
import { streamOperation, type TableChange } from '../../shared/kernel/trigger.ts';
import { contactIn, organizationIn } from '../../shared/table/spaces.ts';
import { eraseContact } from './model/erasure/erase-contact.ts';
import { type ErasedPerson, rememberErasure } from './model/erasure/remember-erasure.ts';

export default streamOperation({
  reader: 'background',
  on: { change: 'REMOVE', sortPrefix: 'CONTACT' },
  summary: 'Delete everything stored about a deleted contact',
  uses: { organizations: 'write', platform: 'write' },
  async run(changes, { organizations, platform, now }) {
    for (const { organizationId, contact, at = now } of changes.flatMap(deletedContact)) {
      const tables = { table: organizations(organizationId), platform };
      await rememberErasure(tables, contact, at, now);
      await eraseContact(tables, contact._id, now);
    }
  },
});

interface DeletedContact {
  readonly organizationId: string;
  readonly contact: ErasedPerson;
  readonly at: Date | undefined;
}

/** The contact that a change deleted; none for any other change. */
function deletedContact({ partition, sort, before, at }: TableChange): DeletedContact[] {
  const organizationId = organizationIn(partition);
  const _id = contactIn(partition);
  if (organizationId === undefined || _id === undefined || sort !== 'CONTACT') {
    return [];
  }
  // Without what it was: a batch that failed, and from which deleted contacts were taken, has only its key.
  return [{ organizationId, contact: { phoneNumbers: [], ...(before as Partial<StoredContact>), _id }, at }];
}
