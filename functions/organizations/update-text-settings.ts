import * as z from 'zod/mini';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean } from '../../shared/kernel/schemas/fields.ts';
import { textSettings } from '../../shared/organizations/text-settings.ts';
import { changeSettings } from './model/settings.ts';
import { buildTextSettingsResponse, TextSettingsResponse } from './model/text-settings-response.ts';

/** More than any number of one country can send on a day. */
const maxTexts = 1_000_000;

/** More people than any organization that uses this employs. */
const maxInvitations = 10_000;

export default operation({
  route: 'PUT /api/organizations/{organizationId}/text-settings',
  summary: 'Set how many text messages and invitations an organization may send, and approve it',
  description:
    'Only a SUPERADMIN may do this. Fields you leave out keep their value; null restores the value of the deployment. Takes effect with the next text message, invitation or upload.',
  family: 'organizations',
  minimumRole: 'SUPERADMIN',
  organization: 'path',
  body: z.partial(
    z.object({
      dailyLimit: z.nullable(z.int().check(z.minimum(0), z.maximum(maxTexts))),
      standardSender: z.nullable(anyBoolean),
      invitationsPerDay: z.nullable(z.int().check(z.minimum(1), z.maximum(maxInvitations))),
      approved: z.nullable(anyBoolean),
    }),
  ),
  descriptions: {
    dailyLimit: 'How many text messages the organization may send on one day, in UTC; 0 for none.',
    standardSender:
      'Whether messages of users without an active number are sent from the standard sender of the provider account. Not before a SUPERADMIN has said so.',
    invitationsPerDay:
      'How many people the organization may invite by email within a day. For an organization with a limit of its own, invitations that other organizations send to the same address do not count.',
    approved:
      'Whether the organization may store as much as others. Until it is approved, it may upload 1 GB of files in all and attach 1 GB, counting each copy, and add 100 users, 100 workflows, and about 10,000 contacts and 10,000 notes a day, unless the operator of the service has switched that off.',
  },
  output: dataResponse(TextSettingsResponse),
  failures: ['NOT_FOUND'],
  example: {
    path: { organizationId: demo.organization },
    body: { dailyLimit: 2_000, standardSender: true, invitationsPerDay: 100, approved: true },
  },
  uses: { table: 'write', trialPolicy: 'read' },
  async run({ body }, { table, trialPolicy, now, newId }) {
    const settings = changeSettings(table, 'text_settings', textSettings, definedOnly(body), { now, newId });
    return ok({ data: await buildTextSettingsResponse(settings, trialPolicy, table, now) });
  },
});
