import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { textSettings } from '../../shared/organizations/text-settings.ts';
import { readStoredSettings } from './model/settings.ts';
import { buildTextSettingsResponse, TextSettingsResponse } from './model/text-settings-response.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}/text-settings',
  summary: 'Read how many text messages and invitations an organization may send',
  description:
    'Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists. Until a SUPERADMIN sets them, the values are those of the deployment.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  output: dataResponse(TextSettingsResponse),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization } },
  uses: { table: 'read', trialPolicy: 'read' },
  async run(_, { table, trialPolicy, now }) {
    const settings = readStoredSettings(table, textSettings);
    return ok({ data: await buildTextSettingsResponse(settings, trialPolicy, table, now) });
  },
});
