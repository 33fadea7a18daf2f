import { socketOperation } from '../../shared/kernel/trigger.ts';
import { connectionKey, extended, recordsExpireAt } from './model/connection.ts';
import { errorFrame } from './model/replies.ts';
import { hasSession } from './model/socket-session.ts';

const refusedToken = errorFrame('token is invalid or expired. Refresh the session and send its socketToken.');

/** `{"action": "authenticate", "token": "<socketToken>"}`, after a refresh. */
export default socketOperation({
  on: 'authenticate',
  summary: 'Extend an open connection with a fresh socket token of the same user',
  fields: { token: 'The latest `socketToken` of login, register, refresh or `POST /api/socket-token`.' },
  replies: ['authenticated'],
  uses: { tokens: 'verify', organizations: 'write', identity: 'read' },
  async run({ connectionId, frame }, { tokens, organizations, identity, now }) {
    const token = frame?.token;
    if (typeof token !== 'string') {
      return errorFrame('token is required: send the socketToken of a login or refresh.');
    }
    const claims = await tokens.socket(token, now);
    if (typeof claims === 'string') {
      return refusedToken;
    }
    const organization = organizations(claims.organizationId);
    return organization.optimistically(async () => {
      const [stored, isInSession] = await Promise.all([
        organization.read(connectionKey(claims.userId, connectionId)),
        hasSession(organization, identity, claims, now),
      ]);
      if (stored === undefined) {
        return errorFrame('token belongs to another user. Open a new connection with it.');
      }
      if (stored.data.key?.id !== claims.key?.id) {
        return errorFrame('token belongs to another API key, or to none. Open a new connection with it.');
      }
      if (!isInSession) {
        return refusedToken;
      }
      const connection = extended(stored.data, claims);
      await organization.commit([
        organization.replace(stored, connection, { expiresAt: recordsExpireAt(connection) }),
      ]);
      return { event: 'authenticated', data: { expiresAt: connection.expiresAt } };
    });
  },
});
