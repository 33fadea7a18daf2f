import { streamOperation } from '../../shared/kernel/trigger.ts';
import { joined } from '../../shared/table/key.ts';
import { contactIn, organizationIn } from '../../shared/table/spaces.ts';
import { sweepContact, sweepRestKey, sweepTimer } from './model/erasure/sweep-contact.ts';

export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: joined(sweepRestKey('-').sort) },
  summary: 'Delete the rest of what is stored about a deleted contact',
  uses: { organizations: 'write', platform: 'write' },
  async run(changes, { organizations, platform, now, newId }) {
    const isTimeUp = sweepTimer();
    for (const { partition } of changes) {
      const organizationId = organizationIn(partition);
      const contactId = contactIn(partition);
      if (organizationId !== undefined && contactId !== undefined) {
        const tables = { table: organizations(organizationId), platform };
        await sweepContact(tables, contactId, { now, newId }, isTimeUp);
      }
    }
  },
});
