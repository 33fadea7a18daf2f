import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { registrationModes } from '../../shared/organizations/organization.ts';
import {
  OrganizationResponse,
  toOrganizationResponse,
} from '../../shared/organizations/organization-response.ts';
import { requireCurrentRole } from '../../shared/organizations/require-current-role.ts';
import { changeOrganization } from './model/organization-record.ts';

export default operation({
  route: 'PUT /api/organizations/{organizationId}/registration-mode',
  summary: 'Choose who may register in an organization',
  description:
    'Only an ADMIN of the organization or a SUPERADMIN may do this, and must still have that role, whatever the token says; an ADMIN who names another organization gets 403, whether or not it exists, and so does every API key. Takes effect with the next registration.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  isClosedToKeys: true,
  body: z.object({ registrationMode: z.enum(registrationModes) }),
  descriptions: {
    registrationMode:
      '`admin_only`: only an ADMIN or SUPERADMIN can register users. `open`: anyone who knows the id of the organization can join it as a SALES_REP.',
  },
  output: changeResponse(OrganizationResponse),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization }, body: { registrationMode: 'open' } },
  uses: { table: 'write', organizations: 'read' },
  async run({ body }, { table, organizations, caller, now, newId }) {
    const allowed = () => requireCurrentRole(caller, organizations);
    let isChanged = false;
    const data = await changeOrganization(
      table,
      ({ registrationMode }) => {
        isChanged = registrationMode !== body.registrationMode;
        return body;
      },
      { now, newId, allowed },
    );
    const message = isChanged ? 'Registration mode updated' : 'No changes';
    return ok({ message, data: toOrganizationResponse(data) });
  },
});
