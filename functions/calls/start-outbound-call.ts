import * as z from 'zod/mini';
import { shown } from '../../shared/calls/call.ts';
import { StartedCallResponse } from '../../shared/calls/call-response.ts';
import { PhoneNumber } from '../../shared/contacts/phone-numbers.ts';
import * as demo from '../../shared/demo-ids.ts';
import { ok } from '../../shared/kernel/envelope.ts';
import { Id } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { callToContact, callWithNumber } from './model/start-call.ts';

export default operation({
  route: 'POST /api/calls/sdk/outbound',
  summary: 'Record an outbound call from the browser',
  description:
    'To a contact, or to a number: an unknown one becomes a contact `New Contact` of the caller, with the source `Outgoing Call`, in the first stage of the active Contact pipeline, or else of the oldest (404 only without any). Whoever has the number already is called, whoever may see that contact. The call is linked to the one voice conversation of the contact. It is `initiated`; `from` is the default number of the caller, null without one.',
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
    contactId: 'Called on the primary number, unless `phoneNumber` names another number of this contact.',
    phoneNumber: 'In E.164.',
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
    return ok({ call: shown(call), message: 'Outbound call recorded' });
  },
});
