import * as z from 'zod/mini';
import { CallerNumber } from '../../shared/calls/caller-number-field.ts';
import { missedCallOutcomes, missedCallReasons } from '../../shared/calls/missed-call.ts';
import { isWithheld } from '../../shared/contacts/withheld.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString, dateTime } from '../../shared/kernel/schemas/fields.ts';
import { doubtsAbout } from '../../shared/messages/fill-placeholders.ts';
import { comparable, parseMoment } from '../../shared/organizations/written-times.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';
import { CurrentMoment } from './model/current-moment.ts';
import { previewMissedCall } from './model/missed-call-preview.ts';

export default operation({
  route: 'POST /api/organizations/{organizationId}/missed-call-policy/preview',
  summary: 'Preview what would follow a missed call',
  description:
    'Shows what the stored policy, message and business hours would do about a missed call from this number at this time, and why. Consent, the cool-down and the text messages of that day count as they are stored now. Nothing is written and nothing is sent. The call is assumed to be to a number of the organization; without an active one, nothing can be sent. Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  body: z.object({
    at: z.optional(CurrentMoment),
    callerNumber: CallerNumber,
  }),
  descriptions: {
    at: 'When the call is missed, not before 1970; now by default. A date-time, or a date for the beginning of that day; without an offset, in the time zone of the organization.',
    callerNumber:
      'The number of the caller, in any usual notation; or `anonymous`, `restricted`, `unavailable` or `unknown`, in any case, or empty, for a caller who withheld it.',
  },
  output: dataResponse(
    described(
      z.object({
        outcome: z.enum(missedCallOutcomes),
        reason: z.enum([...missedCallReasons, 'daily_limit']),
        text: z.exactOptional(anyString),
        at: z.exactOptional(dateTime),
        warning: z.exactOptional(anyString),
      }),
      {
        outcome:
          '`sent`: the text is sent at once. `scheduled`: it is sent at the next opening. `skipped`: no text is sent.',
        reason:
          'Why. For a skipped text, the first of these that applies: `switched_off`; `no_message`: the text is empty once its placeholders are filled; `no_number`: the caller has none, or the organization has none to send from; `opted_out`; `closed` or `open`, by the policy; `cooldown`; `daily_limit`: the organization has reached its limit of text messages for that day (in UTC). For any other text, whether the organization is `open` or `closed` at that time.',
        text: 'The text, with its placeholders filled; left out if it is skipped.',
        at: 'When a scheduled text is sent.',
        warning:
          'Which placeholders of the message may be misspelt, if any: they are filled for some contacts only.',
      },
      { id: 'MissedCallPreview', description: 'What would follow a missed call.' },
    ),
  ),
  failures: ['NOT_FOUND'],
  example: {
    path: { organizationId: demo.organization },
    // In the past, because another example sends this number a text, whose cool-down would skip this one.
    body: { at: '2026-01-12T15:00:00Z', callerNumber: '+13035550182' },
  },
  uses: { table: 'read', trialPolicy: 'read' },
  async run({ body }, { table, trialPolicy, now }) {
    const number = isWithheld(body.callerNumber) ? undefined : body.callerNumber;
    const at = body.at === undefined ? now : parseMoment(body.at, await readZoneFor(table, body.at));
    const { decision, text, template } = await previewMissedCall({ table, trialPolicy }, number, at);
    const { outcome, reason } = decision;
    const doubts = doubtsAbout(template);
    return ok({
      data: {
        outcome,
        reason,
        ...(outcome !== 'skipped' && { text }),
        ...(outcome === 'scheduled' && { at: comparable(decision.at) }),
        ...(doubts.length > 0 && { warning: doubts.join(' ') }),
      },
    });
  },
});
