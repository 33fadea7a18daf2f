import { toCallResponse } from '../../shared/calls/call.ts';
import { CallResponse } from '../../shared/calls/call-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { answered } from './model/call-states.ts';
import { findCall } from './model/find-call.ts';
import { storeChangedCall } from './model/store-call.ts';

export default operation({
  route: 'POST /api/calls/{callId}/answer',
  summary: 'Record that a call was answered',
  description:
    'Sets the status `answered`, and `answerTime` to now: the contact took an outbound call, or the user took an inbound call that a provider reported. Answering a call again changes nothing; for a call that has ended, the response is 409. Emits `call_answered`.',
  family: 'calls',
  minimumRole: 'SALES_REP',
  output: changeResponse(CallResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { callId: demo.outboundCall } },
  uses: { table: 'write' },
  async run({ path }, { table, caller, ...clock }) {
    return table.optimistically(async () => {
      const found = await findCall(table, caller, path.callId);
      const after = answered(found.call, clock.now);
      if (after === found.call) {
        return ok({ message: 'The call was already answered', data: toCallResponse(after) });
      }
      await storeChangedCall(table, { ...found, after }, clock);
      return ok({ message: 'Call answered', data: toCallResponse(after) });
    });
  },
});
