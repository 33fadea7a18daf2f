import { streamOperation } from '../../shared/kernel/trigger.ts';
import { numberOwnerKey } from '../../shared/organizations/phone-assignments.ts';
import { joined, keyParts } from '../../shared/table/key.ts';
import { type Delivery, deliverUnassigned, type UnassignedRest } from './model/deliver-unassigned.ts';

const { sort } = numberOwnerKey('-');

export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: joined(sort) },
  summary: 'Deliver messages that waited for a phone number',
  uses: { identity: 'read', platform: 'write', organizations: 'write', secrets: 'open' },
  async run(changes, { identity, platform, organizations, secrets, now, newId }) {
    const ports = { identity, platform, organizations, secrets };
    const total: Delivery = { delivered: 0, left: 0, dropped: 0 };
    for (const { partition, data } of changes) {
      const phoneNumber = keyParts(partition).at(-1) ?? '';
      // The record of an owner has no cursor: then from the beginning.
      const { cursor } = data as Partial<UnassignedRest>;
      const clock = { now, newId };
      const delivery = await deliverUnassigned(ports, phoneNumber, clock, cursor);
      total.delivered += delivery.delivered;
      total.left += delivery.left;
      total.dropped += delivery.dropped;
      total.problem ??= delivery.problem;
    }
    return { ...total };
  },
});
