import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { findOrganization } from './model/organization-record.ts';
import { SessionSettingsResponse } from './model/session-settings.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}/session-settings',
  summary: 'Read the session settings of an organization',
  description:
    'What login, register and refresh return as `sessionConfig`, and who needs a second factor. Every user may read those of their own organization, and a SUPERADMIN those of any; anyone else who names another organization gets 403, whether or not it exists.',
  family: 'organizations',
  minimumRole: 'SALES_REP',
  organization: 'path',
  output: dataResponse(SessionSettingsResponse),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization } },
  uses: { table: 'read' },
  async run(_, { table }) {
    return ok({ data: (await findOrganization(table)).data.sessionConfig });
  },
});
