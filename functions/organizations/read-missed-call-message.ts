import * as demo from '../../shared/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { MissedCallAnswer } from './model/missed-call-response.ts';
import { missedCallMessage } from './model/missed-call-message.ts';
import { inNamedOrganization } from './model/named-organization.ts';
import { settingsOf } from './model/settings.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}/missed-call-message',
  summary: 'Read the missed-call message of an organization',
  description:
    'Every user reads that of their own organization, a SUPERADMIN of any; for anybody else another one is 403, whether it exists or not. Before anybody has set it: an empty message, not enabled.',
  family: 'organizations',
  allow: 'SALES_REP',
  output: MissedCallAnswer,
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization } },
  uses: { organizations: 'read', table: 'read' },
  async run({ path }, { organizations, caller }) {
    const table = inNamedOrganization(organizations, caller, path.organizationId);
    return settingsOf(table, missedCallMessage);
  },
});
