import { findConversation } from '../../shared/contact-aggregate/find-conversation.ts';
import { ConversationResponse } from '../../shared/conversations/conversation-response.ts';
import * as demo from '../../shared/demo-ids.ts';
import { dataResponse, ok } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: 'GET /api/conversations/{id}',
  summary: 'Read a conversation',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(ConversationResponse),
  example: { path: { id: demo.conversation } },
  uses: { table: 'read' },
  async run({ path }, { table, caller }) {
    return ok({ data: await findConversation(table, caller, path.id) });
  },
});
