import { PhoneNumber } from '../../shared/contacts/phone-numbers.ts';
import * as demo from '../../shared/demo-ids.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { numberOwnerKey } from '../../shared/organizations/phone-assignments.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { assignedNumber, numberTaken, withNumber } from './model/assign-number.ts';
import { PhoneAssignmentResponse, toPhoneAssignmentResponse } from './model/phone-assignment-response.ts';

export default operation({
  route: 'POST /api/organizations/{organizationId}/phone-numbers/{phoneNumber}/approve',
  summary: 'Approve a phone number of an organization',
  description:
    'Makes a `pending` number `active`: text messages leave from it, and text messages and calls to it reach the organization. Check first that the number belongs to the organization. A number that another organization has meanwhile is refused with 409; a number that is not assigned in the organization returns 404. To refuse a number, remove it.',
  family: 'organizations',
  minimumRole: 'SUPERADMIN',
  organization: 'path',
  path: { phoneNumber: PhoneNumber },
  output: changeResponse(PhoneAssignmentResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { organizationId: demo.organization, phoneNumber: '+12025550143' } },
  uses: { identity: 'write', table: 'write' },
  async run({ path }, { table, identity }) {
    return table.optimistically(async () => {
      const { stored, assignment: before, owner } = await assignedNumber(table, identity, path.phoneNumber);
      const assignment = { ...before, status: 'active' as const };
      const isActive = before.status === 'active';
      const [user] = await Promise.all([
        table.read(userKey(stored.data.userId)),
        isActive
          ? undefined
          : table.commit([
              table.replace(stored, withNumber(stored.data, assignment)),
              identity.delete(owner.key, { ifVersion: owner.version }),
              identity.add(numberOwnerKey(path.phoneNumber), owner.data, { otherwise: numberTaken }),
            ]),
      ]);
      if (user === undefined) {
        throw notFound('User');
      }
      return ok({
        message: isActive ? 'No changes' : 'Phone number approved',
        data: toPhoneAssignmentResponse(user.data, assignment),
      });
    });
  },
});
