import * as z from 'zod/mini';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, anyString, atMost, Name } from '../../shared/kernel/schemas/fields.ts';
import type { Organization } from '../../shared/organizations/organization.ts';
import {
  OrganizationResponse,
  toOrganizationResponse,
} from '../../shared/organizations/organization-response.ts';
import { changeOrganization } from './model/organization-record.ts';

/** Code points of a help message: three text messages, as long as a missed-call message. */
const longestHelp = 500;

export default operation({
  route: 'PUT /api/organizations/{organizationId}',
  summary: 'Update the name and settings of an organization',
  description:
    'Fields you leave out keep their value. Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  body: z.object({
    name: z.optional(Name),
    repsMayExport: z.optional(anyBoolean),
    helpMessage: z.nullish(anyString.check(atMost(longestHelp), z.meta({ maxLength: longestHelp }))),
  }),
  descriptions: {
    name: 'The name of the organization.',
    repsMayExport: 'Whether a SALES_REP may export the contacts that they see; by default, they may not.',
    helpMessage:
      'The reply to a contact who texts HELP or INFO, sent unchanged: who you are, how to reach you, how to opt out. At most 500 characters. Empty or null clears it.',
  },
  output: changeResponse(OrganizationResponse),
  failures: ['NOT_FOUND'],
  example: {
    path: { organizationId: demo.organization },
    body: {
      name: 'Bluebird Trading',
      helpMessage: 'Bluebird Trading. Call us on +1 202 555 0101. Reply STOP to get no more messages.',
    },
  },
  uses: { table: 'write' },
  async run({ body: { name, repsMayExport, helpMessage } }, { table, now, newId }) {
    const isCleared = helpMessage === null || helpMessage?.trim() === '';
    const wanted = definedOnly({ name, repsMayExport, helpMessage: isCleared ? '' : helpMessage });
    let changes: Partial<Organization> = {};
    const data = await changeOrganization(
      table,
      (before) => {
        changes = changed(before, wanted);
        return changes;
      },
      { now, newId },
    );
    const message = Object.keys(changes).length === 0 ? 'No changes' : 'Organization updated';
    return ok({ message, data: toOrganizationResponse(data) });
  },
});

/** The changes that change something. */
function changed(before: Organization, changes: Partial<Organization>): Partial<Organization> {
  const { name, helpMessage = '', repsMayExport = false } = { ...before, ...changes };
  const isSame =
    name === before.name &&
    helpMessage === (before.helpMessage ?? '') &&
    repsMayExport === (before.repsMayExport ?? false);
  return isSame ? {} : changes;
}
