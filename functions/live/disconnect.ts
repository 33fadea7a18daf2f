import { socketOperation } from '../../shared/kernel/trigger.ts';
import { closingSteps, connectionOrganizationKey } from './model/connection.ts';

export default socketOperation({
  on: '$disconnect',
  summary: 'Forget a connection that has ended',
  uses: { organizations: 'write', identity: 'write' },
  async run({ connectionId }, { organizations, identity }) {
    const stored = await identity.read(connectionOrganizationKey(connectionId));
    if (stored !== undefined) {
      const organization = organizations(stored.data.organizationId);
      await organization.commit(closingSteps({ organization, identity }, connectionId));
    }
    return undefined;
  },
});
