import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { missedCallMessage } from '../../shared/organizations/missed-call-message.ts';
import { MissedCallMessageResponse } from './model/missed-call-message-response.ts';
import { readStoredSettings } from './model/settings.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}/missed-call-message',
  summary: 'Read the missed-call message of an organization',
  description:
    'Every user may read that of their own organization, and a SUPERADMIN that of any; anyone else who names another organization gets 403, whether or not it exists. Until it is set: an empty message, not enabled.',
  family: 'organizations',
  minimumRole: 'SALES_REP',
  organization: 'path',
  output: MissedCallMessageResponse,
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization } },
  uses: { table: 'read' },
  async run(_, { table }) {
    return readStoredSettings(table, missedCallMessage);
  },
});
