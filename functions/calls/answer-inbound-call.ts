import * as z from 'zod/mini';
import { toCallResponse } from '../../shared/calls/call.ts';
import { StartedCallResponse } from '../../shared/calls/call-response.ts';
import { PhoneNumber } from '../../shared/contacts/phone-number-field.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { callWithNumber } from './model/start-call.ts';

export default operation({
  route: 'POST /api/calls/sdk/inbound',
  summary: 'Record an inbound call that was answered in the browser',
  description:
    "Links the call to the contact with this number, even if you cannot see that contact, and to the contact's voice conversation. An unknown number becomes a new contact that you own: `Unknown Caller`, source `Incoming Call`, in the first stage of the active Contact pipeline, or of the oldest one if none is active. `provider` is the provider of your default number, or `sdk` if you have none; `to` is that number if it takes inbound calls, and else left out. Emits `call_answered`.",
  family: 'calls',
  minimumRole: 'SALES_REP',
  status: 201,
  body: z.object({ callerNumber: PhoneNumber }),
  descriptions: { callerNumber: 'The number of the person who called, in any usual notation.' },
  output: StartedCallResponse,
  failures: ['NOT_FOUND'],
  example: { body: { callerNumber: '+13035550182' } },
  uses: { table: 'write' },
  async run({ body }, { table, caller, ...clock }) {
    const call = await callWithNumber('inbound', body.callerNumber, { table, caller, ...clock });
    return ok({ call: toCallResponse(call), message: 'Inbound call recorded' });
  },
});
