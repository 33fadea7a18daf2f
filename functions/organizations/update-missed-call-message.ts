import * as z from 'zod/mini';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { anyBoolean, anyString, atMost } from '../../shared/kernel/schemas/fields.ts';
import { longestMessage, missedCallMessage } from '../../shared/organizations/missed-call-message.ts';
import { MissedCallMessageResponse } from './model/missed-call-message-response.ts';
import { changeSettings } from './model/settings.ts';

export default operation({
  route: 'PUT /api/organizations/{organizationId}/missed-call-message',
  summary: 'Update the missed-call message of an organization',
  description:
    'Fields you leave out keep their value. Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  body: z.partial(
    z.object({
      missedCallMessage: anyString.check(atMost(longestMessage), z.meta({ maxLength: longestMessage })),
      missedCallAutoMessageEnabled: anyBoolean,
    }),
  ),
  descriptions: {
    missedCallMessage:
      'A template that may contain placeholders like `{{contactName}}`, or `{{contactName|there}}` with what takes the place of a missing value; stored unchanged; at most 500 characters, counted in code points before placeholders are filled in. Empty clears it. `POST …/missed-call-policy/preview` warns of names that may be misspelt.',
    missedCallAutoMessageEnabled: 'Whether callers whose call was missed are sent the message.',
  },
  output: MissedCallMessageResponse,
  failures: ['NOT_FOUND'],
  example: {
    path: { organizationId: demo.organization },
    body: {
      missedCallMessage: 'Sorry we missed you, {{contactName}}. We will call you back shortly.',
      missedCallAutoMessageEnabled: true,
    },
  },
  uses: { table: 'write' },
  async run({ body }, { table, now, newId }) {
    return changeSettings(table, 'missed_call_message', missedCallMessage, definedOnly(body), { now, newId });
  },
});
