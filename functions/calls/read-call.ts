import { toCallResponse } from '../../shared/calls/call.ts';
import { CallResponse } from '../../shared/calls/call-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { findCall } from './model/find-call.ts';

export default operation({
  route: 'GET /api/calls/{callId}',
  summary: 'Read a call',
  tool: { name: 'read_call', when: 'When you have the id of a call.' },
  description:
    'A call of your own, or of a contact in your scope. A call stays when its contact is deleted; then you see it if its user is in your scope.',
  family: 'calls',
  minimumRole: 'SALES_REP',
  output: dataResponse(CallResponse),
  failures: ['NOT_FOUND'],
  example: { path: { callId: demo.endedCall } },
  uses: { table: 'read' },
  async run({ path }, { table, caller }) {
    const { call } = await findCall(table, caller, path.callId);
    return ok({ data: toCallResponse(call) });
  },
});
