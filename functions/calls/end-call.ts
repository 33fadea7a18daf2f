import * as z from 'zod/mini';
import { finalStatuses, toCallResponse } from '../../shared/calls/call.ts';
import { CallResponse } from '../../shared/calls/call-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { ended } from './model/call-states.ts';
import { changeCall } from './model/change-call.ts';
import { findCall } from './model/find-call.ts';
import { newChangeIds } from './model/missed-call-context.ts';

export default operation({
  route: 'POST /api/calls/{callId}/end',
  summary: 'End a call',
  description:
    'Sets `endTime`, and `duration` in whole seconds from start to end. Ending a call again with the same status changes nothing; with another one it is refused with 409, since a status only goes forward: an answered call can end as `completed`, `failed` or `voicemail`. Emits `call_ended`. An inbound call that ends as `completed` was answered, at the latest now (`call_answered`). One that nobody answered is missed: `call_missed`, and the text to its caller, by the policy for missed calls.',
  family: 'calls',
  minimumRole: 'SALES_REP',
  body: z.object({ status: z._default(z.enum(finalStatuses), 'completed') }),
  descriptions: { status: 'How the call ended.' },
  output: changeResponse(CallResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { callId: demo.callUnderWay }, body: { status: 'completed' } },
  uses: { identity: 'read', table: 'write', platform: 'write', trialPolicy: 'read' },
  async run({ path, body }, { identity, table, platform, trialPolicy, caller, ...clock }) {
    const ids = newChangeIds(clock);
    return table.optimistically(async () => {
      const found = await findCall(table, caller, path.callId);
      const after = ended(found.call, body.status, clock.now);
      if (after === found.call) {
        return ok({ message: 'The call has already ended', data: toCallResponse(after) });
      }
      const ports = { identity, table, platform, trialPolicy };
      const call = await changeCall({ ...found, after }, ports, ids, clock.now);
      return ok({ message: 'Call ended', data: toCallResponse(call) });
    });
  },
});
