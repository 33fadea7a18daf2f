import { PhoneNumber } from '../../shared/contacts/phone-numbers.ts';
import * as demo from '../../shared/demo-ids.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { assignedNumber, changedAssignment, withNumber, withSecret } from './model/assign-number.ts';
import { PhoneAssignmentChanges, phoneAssignmentDescriptions } from './model/phone-assignment-fields.ts';
import { PhoneAssignmentResponse, toPhoneAssignmentResponse } from './model/phone-assignment-response.ts';

export default operation({
  route: 'PUT /api/organizations/{organizationId}/phone-numbers/{phoneNumber}',
  summary: 'Change the assignment of a phone number',
  description:
    'Fields you leave out keep their value. For an ADMIN of the organization, and a SUPERADMIN; an organization other than their own is 403 for an ADMIN, whether it exists or not. A number that is not assigned in the organization is 404. For another user, the number is removed and assigned anew.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  path: { phoneNumber: PhoneNumber },
  body: PhoneAssignmentChanges,
  descriptions: phoneAssignmentDescriptions,
  output: changeResponse(PhoneAssignmentResponse),
  failures: ['NOT_FOUND'],
  example: {
    path: { organizationId: demo.organization, phoneNumber: '+12025550143' },
    body: { isDefault: true, label: 'Mobile' },
  },
  uses: { identity: 'write', table: 'write' },
  async run({ path, body }, { table, identity }) {
    return table.optimistically(async () => {
      const { stored, assignment: before, lock } = await assignedNumber(table, identity, path.phoneNumber);
      const { userId } = stored.data;
      const assignment = changedAssignment(before, body);
      const owner = withSecret({ ...lock.data, provider: assignment.provider }, body);
      const [user] = await Promise.all([
        table.read(userKey(userId)),
        table.commit([
          table.replace(stored, withNumber(stored.data, assignment)),
          identity.replace(lock, owner),
        ]),
      ]);
      if (user === undefined) {
        throw notFound('User');
      }
      return ok({
        message: 'Phone number updated',
        data: toPhoneAssignmentResponse(user.data, assignment),
      });
    });
  },
});
