import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { withSessionsEnded } from '../../shared/organizations/session.ts';
import { sessionsEndedAction } from '../../shared/organizations/sessions-ended.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { authorizeSessions } from './model/user-changes.ts';

export default operation({
  route: 'POST /api/users/{id}/sign-out',
  tag: 'Users',
  summary: 'End all sessions of a user',
  description:
    'Every refresh token of the user stops working, and their connections for live events are closed; access tokens already issued work until they expire. The user may log in again at once. Every user may sign out themselves, which ends the session of the access token, too; signing out others requires the role ADMIN or SUPERADMIN, which you must still have, whatever your token says, and only a SUPERADMIN may sign out a SUPERADMIN.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['FORBIDDEN', 'NOT_FOUND'],
  example: { path: { id: demo.matteo } },
  uses: { table: 'write', organizations: 'read' },
  async run({ path }, { table, organizations, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const [stored, actor] = await Promise.all([
        table.read(userKey(path.id)),
        organizations(caller.homeOrganizationId).read(userKey(caller.userId)),
      ]);
      if (stored === undefined) {
        throw notFound('User');
      }
      authorizeSessions(actor?.data, stored.data, 'sign out');
      await table.commit([
        table.replace(stored, withSessionsEnded(stored.data, now)),
        sessionsEndedAction(table, { userId: stored.data._id }, eventId, now),
      ]);
      return ok({ message: 'User signed out' });
    });
  },
});
