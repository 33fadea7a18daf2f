import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import {
  OrganizationResponse,
  toOrganizationResponse,
} from '../../shared/organizations/organization-response.ts';
import { findOrganization } from './model/organization-record.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}',
  summary: 'Read an organization',
  description:
    'Every user may read their own organization, and a SUPERADMIN any; anyone else who names another organization gets 403, whether or not it exists. Its settings have operations of their own.',
  family: 'organizations',
  minimumRole: 'SALES_REP',
  organization: 'path',
  output: dataResponse(OrganizationResponse),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization } },
  uses: { table: 'read' },
  async run(_, { table }) {
    return ok({ data: toOrganizationResponse((await findOrganization(table)).data) });
  },
});
