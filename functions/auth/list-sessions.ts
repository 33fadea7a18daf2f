import * as z from 'zod/mini';
import { Refused } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { sessionRange } from '../../shared/organizations/session.ts';
import { openSessions, SessionResponse, toSessionResponse } from '../../shared/organizations/session-list.ts';
import { userKey } from '../../shared/organizations/user.ts';

export default operation({
  route: 'GET /api/auth/sessions',
  summary: 'List your sessions',
  description:
    'The sessions in which you are logged in, newest first. A session that has ended or expired is not among them.',
  family: 'auth',
  minimumRole: 'SALES_REP',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(SessionResponse),
  uses: { identity: 'read', organizations: 'read' },
  async run({ query }, { identity, organizations, caller, now }) {
    const { userId, homeOrganizationId, sessionId } = caller;
    const [user, page] = await Promise.all([
      organizations(homeOrganizationId).read(userKey(userId)),
      identity.page(sessionRange(userId), { ...query, descending: true, consistent: true }),
    ]);
    if (user === undefined || user.data.disabled) {
      throw new Refused('invalid');
    }
    const { records, nextCursor } = await openSessions(identity, userId, page, user.data, now);
    return ok({ data: records.map((session) => toSessionResponse(session, sessionId)), nextCursor });
  },
});
