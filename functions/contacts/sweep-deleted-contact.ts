import { streamOperation, type TableChange } from '../../shared/kernel/trigger.ts';
import { contactIn, organizationIn } from '../../shared/table/spaces.ts';
import { eraseContact } from './model/erasure/erase-contact.ts';

export default streamOperation({
  reader: 'background',
  on: { change: 'REMOVE', sortPrefix: 'CONTACT' },
  summary: 'Delete everything stored about a deleted contact',
  uses: { organizations: 'write', platform: 'write' },
  async run(changes, { organizations, platform, now }) {
    for (const { organizationId, contactId } of changes.flatMap(deletedContact)) {
      await eraseContact({ table: organizations(organizationId), platform }, contactId, now);
    }
  },
});

/** The contact that a change deleted; none for any other change. */
function deletedContact({ partition, sort }: TableChange): { organizationId: string; contactId: string }[] {
  const organizationId = organizationIn(partition);
  const contactId = contactIn(partition);
  const isContact = organizationId !== undefined && contactId !== undefined && sort === 'CONTACT';
  return isContact ? [{ organizationId, contactId }] : [];
}
