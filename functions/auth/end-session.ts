import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { admits, isOpen, sessionKey } from '../../shared/organizations/session.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { sessionEndActions } from './model/session-end.ts';

export default operation({
  route: 'DELETE /api/auth/sessions/{id}',
  summary: 'End one of your sessions',
  description:
    'Its refresh token stops working at once, and its connections for live events are closed; its access tokens work until they expire. Ending the session of the access token logs you out. A session of somebody else, or one that has ended, is 404.',
  family: 'auth',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareSession } },
  uses: { identity: 'write', organizations: 'write' },
  async run({ path }, { identity, organizations, caller, now, newId }) {
    const { userId, homeOrganizationId } = caller;
    const table = organizations(homeOrganizationId);
    const sessionId = path.id;
    const [user, session] = await Promise.all([
      table.read(userKey(userId)),
      identity.read(sessionKey(userId, sessionId)),
    ]);
    if (session === undefined || !isOpen(session, now) || !admits(user?.data, sessionId)) {
      throw notFound('Session');
    }
    const end = { eventId: newId(), now, otherwise: () => notFound('Session') };
    await identity.commit(sessionEndActions({ identity, table }, session, { userId, sessionId }, end));
    return ok({ message: 'Session ended' });
  },
});
