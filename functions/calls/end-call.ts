import * as z from 'zod/mini';
import { ended, finalStatuses, toCallResponse } from '../../shared/calls/call.ts';
import { CallResponse } from '../../shared/calls/call-response.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import * as demo from '../../shared/demo-ids.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { listedSteps } from './model/call-entries.ts';
import { findCall } from './model/find-call.ts';

export default operation({
  route: 'POST /api/calls/{callId}/end',
  summary: 'End a call',
  description:
    'Sets `endTime`, and `duration` in whole seconds from start to end. Ending a call again with the same status changes nothing; with another one it is refused with 409, since a status only goes forward.',
  family: 'calls',
  minimumRole: 'SALES_REP',
  body: z.object({ status: z._default(z.enum(finalStatuses), 'completed') }),
  descriptions: { status: 'How the call ended.' },
  output: changeResponse(CallResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { callId: demo.callUnderWay }, body: { status: 'completed' } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now }) {
    return table.optimistically(async () => {
      const { call, record, isContactThere } = await findCall(table, caller, path.callId);
      const after = ended(call, body.status, now);
      if (after === call) {
        return ok({ message: 'The call has already ended', data: toCallResponse(after) });
      }
      const contact = contactKey(after.contactId);
      await table.commit([
        table.replace(record, after),
        ...listedSteps(table, after, isContactThere),
        // The separation data of a deleted contact is deleted once: nothing may be added to it afterwards.
        ...(isContactThere ? [table.require(contact, { when: 'attribute_exists(pk)' })] : []),
      ]);
      return ok({ message: 'Call ended', data: toCallResponse(after) });
    });
  },
});
