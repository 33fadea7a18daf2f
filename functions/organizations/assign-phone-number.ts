import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import {
  numberClaimKey,
  numberOwnerKey,
  userNumbersKey,
} from '../../shared/organizations/phone-assignments.ts';
import { userKey } from '../../shared/organizations/user.ts';
import {
  logNumberAction,
  newAssignment,
  numberTaken,
  sealSecret,
  withNumber,
} from './model/assign-number.ts';
import { findOrganization } from './model/organization-record.ts';
import { NewPhoneAssignment, phoneAssignmentDescriptions } from './model/phone-assignment-fields.ts';
import { PhoneAssignmentResponse, toPhoneAssignmentResponse } from './model/phone-assignment-response.ts';

export default operation({
  route: 'POST /api/organizations/{organizationId}/phone-numbers',
  summary: 'Assign a phone number to a user',
  description: [
    'Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists. Across all organizations, a number can be assigned to only one user: assigning it again is refused with 409, even to the same user, and without saying where it is assigned. To change an assignment, use PUT. A user can have at most 100 numbers (409 beyond that).',
    'A number that an ADMIN assigns has the status `pending` until a SUPERADMIN approves it, unless the operator of the service has switched that off. What a SUPERADMIN assigns is `active` at once. [Organizations](#/Organizations) says what a pending number does.',
  ].join('\n\n'),
  family: 'organizations',
  minimumRole: 'ADMIN',
  isClosedToKeys: true,
  organization: 'path',
  status: 201,
  body: NewPhoneAssignment,
  descriptions: {
    ...phoneAssignmentDescriptions,
    userId: 'A user of the organization.',
    phoneNumber: 'The number in any usual notation; stored and returned in E.164.',
    isDefault: `${phoneAssignmentDescriptions.isDefault} By default, true for a user who has no such number yet.`,
  },
  output: changeResponse(PhoneAssignmentResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: {
    path: { organizationId: demo.organization },
    body: {
      userId: demo.matteo,
      provider: 'twilio',
      phoneNumber: '+12025550123',
      isDefault: true,
      isInboundEnabled: true,
      label: 'Sales South',
    },
  },
  uses: { identity: 'write', table: 'write', trialPolicy: 'read', secrets: 'seal' },
  async run({ body }, { table, identity, trialPolicy, secrets, caller, now, newId }) {
    const { userId, provider, phoneNumber } = body;
    const status = caller.role === 'SUPERADMIN' ? 'active' : trialPolicy.newNumbers;
    const lock = numberOwnerKey(phoneNumber);
    const claim = numberClaimKey(phoneNumber, table.organizationId);
    const [held, other] = status === 'active' ? [lock, claim] : [claim, lock];
    return table.optimistically(async () => {
      const [stored, user] = await Promise.all([
        table.read(userNumbersKey(userId)),
        table.read(userKey(userId)),
        findOrganization(table),
      ]);
      if (user === undefined) {
        throw new Failure('NOT_FOUND', 'userId is not the id of a user of this organization');
      }
      const before = stored?.data ?? { userId, numbers: [] };
      const assignment = newAssignment(before, body, status);
      const numbers = withNumber(before, assignment);
      const { organizationId } = table;
      const owner = await sealSecret(secrets, phoneNumber, { organizationId, userId, provider }, body);
      await table.commit([
        stored === undefined ? table.add(userNumbersKey(userId), numbers) : table.replace(stored, numbers),
        identity.add(held, owner, { otherwise: numberTaken }),
        identity.require(other, { when: 'attribute_not_exists(pk)', otherwise: numberTaken }),
        logNumberAction(table, 'assigned', phoneNumber, { now, newId }),
      ]);
      return ok({
        message: 'Phone number assigned',
        data: toPhoneAssignmentResponse(user.data, assignment),
      });
    });
  },
});
