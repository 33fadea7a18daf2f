import * as z from 'zod/mini';
import { toCallResponse } from '../../shared/calls/call.ts';
import { StartedCallResponse } from '../../shared/calls/call-response.ts';
import { CallerNumber } from '../../shared/calls/caller-number-field.ts';
import { PhoneNumber } from '../../shared/contacts/phone-number-field.ts';
import { isWithheld } from '../../shared/contacts/withheld.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { recordMissedCall } from './model/record-missed-call.ts';

export default operation({
  route: 'POST /api/calls/sdk/missed',
  summary: 'Record an inbound call that nobody answered in the browser',
  description:
    'For a call to your browser that rang and ended; its status is `no-answer`. It is linked to the contact with the number like an inbound call that you answered. A caller who withheld the number makes a call without `from`, of a contact without a number. Emits `call_initiated`, `call_ended` and `call_missed`. The caller gets the missed-call message of the organization by the policy for missed calls, and `missedCall` says what became of it; without a number of yours to send it from, that is `no_number`. Each request records a call.',
  family: 'calls',
  minimumRole: 'SALES_REP',
  status: 201,
  body: z.object({
    callerNumber: CallerNumber,
    to: z.optional(PhoneNumber),
  }),
  descriptions: {
    callerNumber:
      'The number of the person who called, in any usual notation; `anonymous`, `restricted`, `unavailable` or `unknown`, in any case, or empty, if it was withheld.',
    to: 'The number that was called, one of your active ones; your default number unless stated, if it takes inbound calls.',
  },
  output: StartedCallResponse,
  failures: ['NOT_FOUND'],
  example: { body: { callerNumber: '+13035550182' } },
  uses: { table: 'write', platform: 'write', trialPolicy: 'read' },
  async run({ body: { callerNumber, to } }, { table, platform, trialPolicy, caller, ...clock }) {
    const number = isWithheld(callerNumber) ? undefined : callerNumber;
    const context = { table, platform, trialPolicy, caller, ...clock };
    const call = await recordMissedCall({ number, to }, context);
    return ok({ call: toCallResponse(call), message: 'Missed call recorded' });
  },
});
