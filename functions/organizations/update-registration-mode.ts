import * as z from 'zod/mini';
import { requireStill } from '../../shared/auth/require-still.ts';
import * as demo from '../../shared/demo-ids.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { registrationModes } from '../../shared/organizations/organization.ts';
import { changeOrganization } from './model/organization-record.ts';
import { OrganizationResponse } from './model/organization-response.ts';

export default operation({
  route: 'PUT /api/organizations/{organizationId}/registration-mode',
  summary: 'Choose who may register into an organization',
  description:
    'For an ADMIN of the organization, and a SUPERADMIN, which the caller must still be, whatever the token says. Holds for the next registration. An organization other than their own is 403 for an ADMIN, whether it exists or not.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  body: z.object({ registrationMode: z.enum(registrationModes) }),
  descriptions: {
    registrationMode:
      '`admin_only`: only an ADMIN or SUPERADMIN registers users. `open`: anybody who knows the id of the organization joins it as a SALES_REP.',
  },
  output: changeResponse(OrganizationResponse),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization }, body: { registrationMode: 'open' } },
  uses: { table: 'write', organizations: 'read' },
  async run({ body }, { table, organizations, caller, now }) {
    const allowed = () => requireStill(caller, organizations);
    const data = await changeOrganization(table, () => body, { now, allowed });
    return ok({ message: 'Registration mode updated', data });
  },
});
