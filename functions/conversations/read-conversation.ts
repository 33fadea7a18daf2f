import { findConversation } from '../../shared/contact-aggregate/find-conversation.ts';
import { ConversationResponse } from '../../shared/conversations/conversation-response.ts';
import { readAt, readPositionKey } from '../../shared/conversations/read-position.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';

export default operation({
  route: 'GET /api/conversations/{id}',
  summary: 'Read a conversation',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(ConversationResponse),
  example: { path: { id: demo.conversation } },
  uses: { table: 'read' },
  async run({ path }, { table, caller }) {
    const [conversation, position] = await Promise.all([
      findConversation(table, caller, path.id),
      table.read(readPositionKey(caller.userId, path.id)),
    ]);
    return ok({ data: readAt(conversation, position?.data) });
  },
});
