import { Refused } from '../../shared/kernel/failure.ts';
import { socketOperation } from '../../shared/kernel/trigger.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { newConnection, openingSteps } from './model/connection.ts';
import { recentEventIds } from './model/event-log.ts';

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
    const [user, recentEvents] = await Promise.all([
      organization.read(userKey(claims.userId)),
      recentEventIds(organization, now),
    ]);
    if (user === undefined || user.data.disabled) {
      throw new Refused('invalid');
    }
    const connection = newConnection(connectionId, claims, now);
    await organization.commit(openingSteps({ organization, identity }, connection, recentEvents));
    return undefined;
  },
});
