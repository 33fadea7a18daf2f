import { reaches } from '../../shared/kernel/caller.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { type User, userKey } from '../../shared/organizations/user.ts';
import { factorRemovalActions } from './model/factors/factor-change.ts';
import { readFactor } from './model/factors/factor-check.ts';

export default operation({
  route: 'DELETE /api/users/{id}/factors',
  tag: 'Users',
  summary: 'Take the second factor of a user away',
  description:
    'For a user who has lost both the app and the recovery codes: from then on, their login asks for the password alone. Only for users of a lower role: an ADMIN may do it for those below ADMIN, a SUPERADMIN for those below SUPERADMIN. If the organization requires a second factor of the user, the next session can only set one up. A user without a confirmed factor is 404.',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: messageResponse(),
  failures: ['FORBIDDEN', 'NOT_FOUND'],
  example: { path: { id: demo.yuki } },
  uses: { table: 'write', organizations: 'read', identity: 'write' },
  async run({ path }, { table, organizations, identity, caller, now, newId }) {
    return table.optimistically(async () => {
      const [user, actor, { factor, wrongCodes }] = await Promise.all([
        table.read(userKey(path.id)),
        organizations(caller.homeOrganizationId).read(userKey(caller.userId)),
        readFactor(identity, { organizationId: table.organizationId, userId: path.id }),
      ]);
      if (user === undefined) {
        throw notFound('User');
      }
      requireHigherRole(actor?.data, user.data);
      if (factor?.data.confirmedAt === undefined) {
        throw notFound('Factor');
      }
      await table.commit([
        ...factorRemovalActions({ identity, table, now, newId }, user, factor, undefined),
        identity.delete(wrongCodes.key),
      ]);
      return ok({ message: 'Second factor taken away' });
    });
  },
});

/** By the current records. @throws a 403 `Failure`. */
function requireHigherRole(actor: User | undefined, user: User): void {
  if (actor === undefined || actor.disabled || reaches(user.accessRole, actor.accessRole)) {
    throw new Failure('FORBIDDEN', 'You may take the second factor away only from users of a lower role.');
  }
}
