import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { sessionRange } from '../../shared/organizations/session.ts';
import { openSessions, SessionResponse, toSessionResponse } from '../../shared/organizations/session-list.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { authorizeSessions } from './model/user-changes.ts';

export default operation({
  route: 'GET /api/users/{id}/sessions',
  tag: 'Users',
  summary: 'List the sessions of a user',
  description:
    'The sessions in which the user is logged in, newest first, as `GET /api/auth/sessions` lists your own. Those of others require the role ADMIN or SUPERADMIN, which you must still have, whatever your token says, and only a SUPERADMIN may see the sessions of a SUPERADMIN. `POST /api/users/{id}/sign-out` ends all of them.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(SessionResponse),
  failures: ['FORBIDDEN', 'NOT_FOUND'],
  example: { path: { id: demo.admin } },
  uses: { table: 'read', organizations: 'read', identity: 'read' },
  async run({ path, query }, { table, organizations, identity, caller, now }) {
    const [user, actor, page] = await Promise.all([
      table.read(userKey(path.id)),
      organizations(caller.homeOrganizationId).read(userKey(caller.userId)),
      // Read with the rest, shown only if the user is one of this organization.
      identity.page(sessionRange(path.id), { ...query, descending: true, consistent: true }),
    ]);
    if (user === undefined) {
      throw notFound('User');
    }
    authorizeSessions(actor?.data, user.data, 'see the sessions of');
    const { records, nextCursor } = await openSessions(identity, user.data._id, page, user.data, now);
    return ok({ data: records.map((session) => toSessionResponse(session, caller.sessionId)), nextCursor });
  },
});
