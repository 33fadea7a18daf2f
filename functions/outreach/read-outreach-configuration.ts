import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { toConfigurationResponse } from './model/configuration.ts';
import { ConfigurationResponse } from './model/configuration-response.ts';
import { findConfiguration } from './model/configurations.ts';

export default operation({
  route: 'GET /api/outreach/{id}',
  summary: 'Read an outreach configuration',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: dataResponse(ConfigurationResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.outreachConfiguration } },
  uses: { table: 'read' },
  async run({ path }, { table }) {
    const { data } = await findConfiguration(table, path.id);
    return ok({ data: toConfigurationResponse(data) });
  },
});
