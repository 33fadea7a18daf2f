import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { configurationOrganizationKey } from './model/configuration.ts';
import { findConfiguration, oneLessConfiguration } from './model/configurations.ts';

export default operation({
  route: 'DELETE /api/outreach/{id}',
  summary: 'Delete an outreach configuration',
  description:
    'Leads that name it are refused with 404 from then on. Its contacts, their applications and its metrics stay.',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareOutreachConfiguration } },
  uses: { table: 'write', identity: 'write' },
  async run({ path }, { table, identity }) {
    return table.optimistically(async () => {
      const stored = await findConfiguration(table, path.id);
      await table.commit([
        table.delete(stored.key, { ifVersion: stored.version }),
        oneLessConfiguration(table),
        identity.delete(configurationOrganizationKey(path.id)),
      ]);
      return ok({ message: 'Outreach configuration deleted' });
    });
  },
});
