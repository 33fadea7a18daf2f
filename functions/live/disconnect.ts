import { socketOperation } from '../../shared/kernel/trigger.ts';
import { closingActions, connectionHolderKey } from './model/connection.ts';

export default socketOperation({
  on: '$disconnect',
  summary: 'Forget a connection that has ended',
  uses: { organizations: 'write', identity: 'write' },
  async run({ connectionId }, { organizations, identity }) {
    const stored = await identity.read(connectionHolderKey(connectionId));
    if (stored !== undefined) {
      const { organizationId, userId } = stored.data;
      const organization = organizations(organizationId);
      await organization.commit(closingActions({ organization, identity }, { userId, connectionId }));
    }
    return undefined;
  },
});
