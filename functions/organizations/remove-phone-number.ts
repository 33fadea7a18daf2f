import { PhoneNumber } from '../../shared/contacts/phone-number-field.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { after, timestamp } from '../../shared/kernel/time.ts';
import { formerOwnerKey, reportsTakenFor } from '../../shared/organizations/phone-assignments.ts';
import { findAssignedNumber, logNumberAction, withoutNumber } from './model/assign-number.ts';

export default operation({
  route: 'DELETE /api/organizations/{organizationId}/phone-numbers/{phoneNumber}',
  summary: 'Remove a phone number from its user',
  description:
    "Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists. The number can be assigned again at once, in any organization. Removing a user's default number leaves the user without one until another is made the default. What the provider still reports about earlier calls and messages counts for 30 days, with the secret that the number had: to revoke a leaked secret, change it before you remove the number. A number that is not assigned in the organization returns 404.",
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  path: { phoneNumber: PhoneNumber },
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization, phoneNumber: '+12025550166' } },
  uses: { identity: 'write', table: 'write' },
  async run({ path }, { table, identity, now, newId }) {
    const removedAt = timestamp(now);
    return table.optimistically(async () => {
      const { stored, assignment, owner } = await findAssignedNumber(table, identity, path.phoneNumber);
      await table.commit([
        // Kept when the last number goes, because a new record would start with an earlier version.
        table.replace(stored, withoutNumber(stored.data, path.phoneNumber)),
        identity.delete(owner.key, { ifVersion: owner.version }),
        logNumberAction(table, 'removed', path.phoneNumber, { now, newId }),
        ...(assignment.status === 'active'
          ? [
              identity.put(
                formerOwnerKey(path.phoneNumber, owner.data.organizationId, removedAt),
                { ...owner.data, removedAt },
                { expiresAt: after(now, reportsTakenFor) },
              ),
            ]
          : []),
      ]);
      return ok({ message: 'Phone number removed' });
    });
  },
});
