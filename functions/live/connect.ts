import { readRecentEventIds } from '../../shared/events/event-log.ts';
import { Refused } from '../../shared/kernel/failure.ts';
import { socketOperation } from '../../shared/kernel/trigger.ts';
import { newConnection, openingActions } from './model/connection.ts';
import { hasSession, sessionStillActions } from './model/socket-session.ts';

export default socketOperation({
  on: '$connect',
  summary: 'Open a connection for live events with a socket token',
  uses: { tokens: 'verify', organizations: 'write', identity: 'write' },
  async run({ connectionId, token = '' }, { tokens, organizations, identity, now }) {
    const claims = await tokens.socket(token, now);
    if (typeof claims === 'string') {
      throw new Refused(claims);
    }
    const organization = organizations(claims.organizationId);
    const [isInSession, recentEvents] = await Promise.all([
      hasSession(organization, identity, claims, now),
      readRecentEventIds(organization, now),
    ]);
    if (!isInSession) {
      throw new Refused('invalid');
    }
    const connection = newConnection(connectionId, claims, now);
    await organization.commit([
      ...openingActions({ organization, identity }, connection, recentEvents),
      ...sessionStillActions(identity, claims),
    ]);
    return undefined;
  },
});
