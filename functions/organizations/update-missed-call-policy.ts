import * as z from 'zod/mini';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean } from '../../shared/kernel/schemas/fields.ts';
import { minute } from '../../shared/kernel/time.ts';
import {
  closedActions,
  longestCooldown,
  missedCallPolicy,
  sendWhens,
} from '../../shared/organizations/missed-call-policy.ts';
import { MissedCallPolicyResponse, policyDescriptions } from './model/missed-call-policy-response.ts';
import { changeSettings } from './model/settings.ts';

export default operation({
  route: 'PUT /api/organizations/{organizationId}/missed-call-policy',
  summary: 'Update what follows a missed call',
  description:
    'Fields you leave out keep their value. Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists. The text itself, and whether there is one at all, are set with `PUT …/missed-call-message`.\n\n' +
    'A call is missed when it comes in and ends without an answer. Its text is sent once, from the number that was called to the one that called, unless the contact has opted out or got such a text within the cool-down; a text that waits counts from the time it is due. At that time everything is decided again, because hours, message, policy and consent may have changed.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  body: z.partial(
    z.object({
      sendWhen: z.enum(sendWhens),
      otherwise: z.enum(closedActions),
      cooldownMinutes: z.int().check(z.minimum(0), z.maximum(longestCooldown / minute)),
      remind: anyBoolean,
      notify: anyBoolean,
    }),
  ),
  descriptions: policyDescriptions,
  output: dataResponse(MissedCallPolicyResponse),
  failures: ['NOT_FOUND'],
  example: {
    path: { organizationId: demo.organization },
    body: { sendWhen: 'always', cooldownMinutes: 30, remind: true },
  },
  uses: { table: 'write' },
  async run({ body }, { table, now, newId }) {
    return ok({
      data: await changeSettings(table, 'missed_call_policy', missedCallPolicy, definedOnly(body), {
        now,
        newId,
      }),
    });
  },
});
