import * as z from 'zod/mini';
import { PhoneNumber } from '../../shared/contacts/phone-number-field.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { numberOwnerKey } from '../../shared/organizations/phone-assignments.ts';
import { userKey } from '../../shared/organizations/user.ts';
import {
  findAssignedNumber,
  losesSecret,
  numberTaken,
  sealOwner,
  sealSecret,
  secretNeeded,
  withNumber,
} from './model/assign-number.ts';
import { PhoneAssignmentChanges, phoneAssignmentDescriptions } from './model/phone-assignment-fields.ts';
import { PhoneAssignmentResponse, toPhoneAssignmentResponse } from './model/phone-assignment-response.ts';

export default operation({
  route: 'POST /api/organizations/{organizationId}/phone-numbers/{phoneNumber}/approve',
  summary: 'Approve a phone number of an organization',
  description:
    'Makes a `pending` number `active`: text messages are sent from it, and text messages and calls to it reach the organization. Check first that the number belongs to the organization. A number needs a secret, stored or in the request (409 otherwise): without one, anybody could write messages in the name of others, and opt contacts out and back in. A new secret replaces the old one even if the number is `active` already; an empty one is then refused with 409. A number that another organization has by now is refused with 409; a number that is not assigned in the organization returns 404. To refuse a number, remove it.',
  family: 'organizations',
  minimumRole: 'SUPERADMIN',
  isClosedToKeys: true,
  organization: 'path',
  path: { phoneNumber: PhoneNumber },
  body: z.pick(PhoneAssignmentChanges, { secret: true }),
  descriptions: { secret: phoneAssignmentDescriptions.secret },
  output: changeResponse(PhoneAssignmentResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { organizationId: demo.organization, phoneNumber: '+12025550143' }, body: {} },
  uses: { identity: 'write', table: 'write', secrets: 'seal' },
  async run({ path, body }, { table, identity, secrets }) {
    return table.optimistically(async () => {
      const {
        stored,
        assignment: before,
        owner,
      } = await findAssignedNumber(table, identity, path.phoneNumber);
      const assignment = { ...before, status: 'active' as const };
      const isActive = before.status === 'active';
      const approved = await sealSecret(secrets, path.phoneNumber, owner.data, body);
      if (!isActive && approved.secret === undefined) {
        throw new Failure('CONFLICT', 'The number has no secret. Send the one that its provider signs with.');
      }
      if (losesSecret(owner.data, approved)) {
        throw secretNeeded();
      }
      const isChanged = approved.secret !== owner.data.secret;
      const written = await sealOwner(secrets, path.phoneNumber, approved);
      const [user] = await Promise.all([
        table.read(userKey(stored.data.userId)),
        isActive
          ? isChanged && table.commit([identity.replace(owner, written)])
          : table.commit([
              table.replace(stored, withNumber(stored.data, assignment)),
              identity.delete(owner.key, { ifVersion: owner.version }),
              identity.add(numberOwnerKey(path.phoneNumber), written, { otherwise: numberTaken }),
            ]),
      ]);
      if (user === undefined) {
        throw notFound('User');
      }
      const activeMessage = isChanged ? 'Phone number updated' : 'No changes';
      return ok({
        message: isActive ? activeMessage : 'Phone number approved',
        data: toPhoneAssignmentResponse(user.data, assignment),
      });
    });
  },
});
