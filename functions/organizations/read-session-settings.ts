import * as demo from '../../shared/demo-ids.ts';
import { dataAnswer } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { SessionConfigAnswer } from '../../shared/organizations/session-config-response.ts';
import { existingOrganization, inNamedOrganization } from './model/named-organization.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}/session-settings',
  summary: 'Read the session settings of an organization',
  description:
    'What login, register and refresh answer as `sessionConfig`. Every user reads those of their own organization, a SUPERADMIN of any; for anybody else another one is 403, whether it exists or not.',
  family: 'organizations',
  allow: 'SALES_REP',
  output: dataAnswer(SessionConfigAnswer),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization } },
  uses: { organizations: 'read', table: 'read' },
  async run({ path }, { organizations, caller }) {
    const table = inNamedOrganization(organizations, caller, path.organizationId);
    return { success: true as const, data: (await existingOrganization(table)).data.sessionConfig };
  },
});
