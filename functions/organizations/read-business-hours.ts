import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { businessHours } from '../../shared/organizations/business-hours.ts';
import { BusinessHoursResponse } from './model/business-hours-response.ts';
import { readStoredSettings } from './model/settings.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}/business-hours',
  summary: 'Read the business hours of an organization',
  description:
    'Every user may read those of their own organization, and a SUPERADMIN those of any; anyone else who names another organization gets 403, whether or not it exists. Until they are set: `UTC`, no schedule, no holidays, no exceptional hours, no override by users.',
  family: 'organizations',
  minimumRole: 'SALES_REP',
  organization: 'path',
  output: dataResponse(BusinessHoursResponse),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization } },
  uses: { table: 'read' },
  async run(_, { table }) {
    return ok({ data: await readStoredSettings(table, businessHours) });
  },
});
