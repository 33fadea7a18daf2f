import * as z from 'zod/mini';
import { shown } from '../../shared/calls/call.ts';
import { StartedCallResponse } from '../../shared/calls/call-response.ts';
import { PhoneNumber } from '../../shared/contacts/phone-numbers.ts';
import { ok } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { callWithNumber } from './model/start-call.ts';

export default operation({
  route: 'POST /api/calls/sdk/inbound',
  summary: 'Record an inbound call that was answered in the browser',
  description:
    'The call belongs to the contact with this number, whoever may see that contact; an unknown number becomes a contact `Unknown Caller` of the caller, with the source `Incoming Call`, in the first stage of the active Contact pipeline, or else of the oldest (404 only without any). It is linked to the one voice conversation of the contact. `provider` is that of the default number of the caller, `sdk` without one; `to` is that number if it takes inbound calls, else null. Emits `call_answered`.',
  family: 'calls',
  minimumRole: 'SALES_REP',
  status: 201,
  body: z.object({ callerNumber: PhoneNumber }),
  descriptions: { callerNumber: 'Who calls, in E.164.' },
  output: StartedCallResponse,
  failures: ['NOT_FOUND'],
  example: { body: { callerNumber: '+13035550182' } },
  uses: { table: 'write' },
  async run({ body }, { table, caller, ...clock }) {
    const call = await callWithNumber('inbound', body.callerNumber, { table, caller, ...clock });
    return ok({ call: shown(call), message: 'Inbound call recorded' });
  },
});
