import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { missedCallPolicy } from '../../shared/organizations/missed-call-policy.ts';
import { MissedCallPolicyResponse } from './model/missed-call-policy-response.ts';
import { readStoredSettings } from './model/settings.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}/missed-call-policy',
  summary: 'Read what follows a missed call',
  description:
    'Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists. Until it is set: `always`, `skip`, 60 minutes, no reminder, a notification.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  output: dataResponse(MissedCallPolicyResponse),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization } },
  uses: { table: 'read' },
  async run(_, { table }) {
    return ok({ data: await readStoredSettings(table, missedCallPolicy) });
  },
});
