import * as z from 'zod/mini';
import { toCallResponse } from '../../shared/calls/call.ts';
import { StartedCallResponse } from '../../shared/calls/call-response.ts';
import { PhoneNumber } from '../../shared/contacts/phone-number-field.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { callToContact, callWithNumber } from './model/start-call.ts';

export default operation({
  route: 'POST /api/calls/sdk/outbound',
  summary: 'Record an outbound call from the browser',
  description:
    "Records a call to a contact or to a number. If a contact already has the number, the call is linked to that contact, even if you cannot see it. An unknown number becomes a new contact that you own: `New Contact`, source `Outgoing Call`, in the first stage of the active Contact pipeline, or of the oldest one if none is active. The call is linked to the contact's voice conversation. Its status is `initiated`, until `POST /api/calls/{callId}/answer` and `POST /api/calls/{callId}/end` change it; `from` is your default number, left out if you have none. Emits `call_initiated`.",
  family: 'calls',
  minimumRole: 'SALES_REP',
  status: 201,
  body: z.object({ contactId: z.optional(Id), phoneNumber: z.optional(PhoneNumber) }).check(
    z.refine(({ contactId, phoneNumber }) => contactId !== undefined || phoneNumber !== undefined, {
      path: ['contactId'],
      error: 'or phoneNumber is required',
    }),
  ),
  descriptions: {
    contactId:
      'The contact to call, on its primary number unless `phoneNumber` names another of its numbers.',
    phoneNumber: 'The number to call, in any usual notation.',
  },
  output: StartedCallResponse,
  failures: ['NOT_FOUND'],
  example: { body: { contactId: demo.ada } },
  uses: { table: 'write' },
  async run({ body: { contactId, phoneNumber } }, { table, caller, ...clock }) {
    const context = { table, caller, ...clock };
    const call =
      contactId === undefined
        ? await callWithNumber('outbound', phoneNumber ?? '', context)
        : await callToContact(contactId, phoneNumber, context);
    return ok({ call: toCallResponse(call), message: 'Outbound call recorded' });
  },
});
