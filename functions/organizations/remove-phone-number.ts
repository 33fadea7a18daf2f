import { PhoneNumber } from '../../shared/contacts/phone-numbers.ts';
import * as demo from '../../shared/demo-ids.ts';
import { messageResponse, ok } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { assignedNumber, withoutNumber } from './model/assign-number.ts';

export default operation({
  route: 'DELETE /api/organizations/{organizationId}/phone-numbers/{phoneNumber}',
  summary: 'Take a phone number away from its user',
  description:
    'For an ADMIN of the organization, and a SUPERADMIN; an organization other than their own is 403 for an ADMIN, whether it exists or not. The number is free at once, on the whole platform. Taking the default number leaves its user without one, until another is made it. A number that is not assigned in the organization is 404.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  path: { phoneNumber: PhoneNumber },
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization, phoneNumber: '+12025550166' } },
  uses: { identity: 'write', table: 'write' },
  async run({ path }, { table, identity }) {
    return table.optimistically(async () => {
      const { stored, lock } = await assignedNumber(table, identity, path.phoneNumber);
      await table.commit([
        // Kept when the last number goes, because a new record would start with an earlier version.
        table.replace(stored, withoutNumber(stored.data, path.phoneNumber)),
        identity.delete(lock.key, { ifVersion: lock.version }),
      ]);
      return ok({ message: 'Phone number removed' });
    });
  },
});
