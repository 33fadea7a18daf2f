import { streamOperation } from '../../shared/kernel/trigger.ts';
import { numberOwnerKey } from '../../shared/organizations/phone-assignments.ts';
import { joined, partsOf } from '../../shared/table/key.ts';
import { deliverUnclaimed } from './model/unclaimed-message.ts';

const { sort } = numberOwnerKey('-');

export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: joined(sort) },
  summary: 'Deliver messages that waited for a phone number',
  uses: { identity: 'read', platform: 'write', organizations: 'write' },
  async run(changes, { identity, platform, organizations, now, newId }) {
    for (const { partition } of changes) {
      const phoneNumber = partsOf(partition).at(-1);
      if (phoneNumber !== undefined) {
        await deliverUnclaimed({ identity, platform, organizations }, phoneNumber, { now, newId });
      }
    }
  },
});
