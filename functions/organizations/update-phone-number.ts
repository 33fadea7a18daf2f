import { isDeepStrictEqual } from 'node:util';
import { PhoneNumber } from '../../shared/contacts/phone-number-field.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { userKey } from '../../shared/organizations/user.ts';
import {
  changedAssignment,
  findAssignedNumber,
  losesSecret,
  sealOwner,
  sealSecret,
  secretNeeded,
  withNumber,
} from './model/assign-number.ts';
import { PhoneAssignmentChanges, phoneAssignmentDescriptions } from './model/phone-assignment-fields.ts';
import { PhoneAssignmentResponse, toPhoneAssignmentResponse } from './model/phone-assignment-response.ts';

export default operation({
  route: 'PUT /api/organizations/{organizationId}/phone-numbers/{phoneNumber}',
  summary: 'Change the assignment of a phone number',
  description:
    'Fields you leave out keep their value. Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists. A number that is not assigned in the organization returns 404. Where numbers have to be approved, the secret of an `active` one can be replaced but not removed (409). To give the number to another user, remove it and assign it again.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  isClosedToKeys: true,
  organization: 'path',
  path: { phoneNumber: PhoneNumber },
  body: PhoneAssignmentChanges,
  descriptions: phoneAssignmentDescriptions,
  output: changeResponse(PhoneAssignmentResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: {
    path: { organizationId: demo.organization, phoneNumber: '+12025550143' },
    body: { isDefault: true, label: 'Mobile' },
  },
  uses: { identity: 'write', table: 'write', trialPolicy: 'read', secrets: 'seal' },
  async run({ path, body }, { table, identity, trialPolicy, secrets }) {
    return table.optimistically(async () => {
      const {
        stored,
        assignment: before,
        owner,
      } = await findAssignedNumber(table, identity, path.phoneNumber);
      const { userId } = stored.data;
      const assignment = changedAssignment(before, body);
      const { phoneNumber } = path;
      const changed = await sealSecret(
        secrets,
        phoneNumber,
        { ...owner.data, provider: assignment.provider },
        body,
      );
      const mayLoseSecret = before.status === 'pending' || trialPolicy.newNumbers === 'active';
      if (!mayLoseSecret && losesSecret(owner.data, changed)) {
        throw secretNeeded();
      }
      const numbers = withNumber(stored.data, assignment);
      const isChanged = !isDeepStrictEqual([numbers, changed], [stored.data, owner.data]);
      const [user] = await Promise.all([
        table.read(userKey(userId)),
        isChanged &&
          table.commit([
            table.replace(stored, numbers),
            identity.replace(owner, await sealOwner(secrets, phoneNumber, changed)),
          ]),
      ]);
      if (user === undefined) {
        throw notFound('User');
      }
      return ok({
        message: isChanged ? 'Phone number updated' : 'No changes',
        data: toPhoneAssignmentResponse(user.data, assignment),
      });
    });
  },
});
