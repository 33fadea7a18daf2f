import * as demo from '../../shared/demo-ids.ts';
import { dataResponse, ok } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { businessHours } from './model/business-hours.ts';
import { BusinessHoursResponse } from './model/business-hours-response.ts';
import { settingsOf } from './model/settings.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}/business-hours',
  summary: 'Read the business hours of an organization',
  description:
    'Every user reads those of their own organization, a SUPERADMIN of any; for anybody else another one is 403, whether it exists or not. Before anybody has set them: `UTC`, no schedule, no holidays, no exceptional hours, no override by users.',
  family: 'organizations',
  minimumRole: 'SALES_REP',
  organization: 'path',
  output: dataResponse(BusinessHoursResponse),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization } },
  uses: { table: 'read' },
  async run(_, { table }) {
    return ok({ data: await settingsOf(table, businessHours) });
  },
});
