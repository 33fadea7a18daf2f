import * as z from 'zod/mini';
import { findConversation } from '../../shared/contact-aggregate/find-conversation.ts';
import { buildMessageResponse } from '../../shared/conversations/build-message-response.ts';
import { messageRange } from '../../shared/conversations/conversation.ts';
import { MessageResponse } from '../../shared/conversations/message-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';

export default operation({
  route: 'GET /api/conversations/{id}/messages',
  summary: 'List the messages of a conversation',
  tool: {
    name: 'list_messages',
    when: 'To read a conversation before you answer. Its id comes from list_conversations.',
  },
  description: 'Newest first; later pages are older.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(MessageResponse),
  example: { path: { id: demo.conversation } },
  uses: { table: 'read', objects: 'attachments' },
  async run({ path, query: { limit, cursor } }, { table, objects, caller }) {
    const [, { records, nextCursor }] = await Promise.all([
      findConversation(table, caller, path.id),
      // Consistent, because a user who has just written looks for the message here.
      table.page(messageRange(path.id), {
        limit,
        cursor,
        descending: true,
        consistent: true,
      }),
    ]);
    const data = await Promise.all(records.map((record) => buildMessageResponse(record.data, objects)));
    return ok({ data, nextCursor });
  },
});
