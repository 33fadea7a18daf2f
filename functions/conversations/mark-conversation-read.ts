import * as z from 'zod/mini';
import { ConversationResponse } from '../../shared/conversations/conversation-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { markRead } from './model/mark-read.ts';

export default operation({
  route: 'POST /api/conversations/{id}/read',
  summary: 'Mark a conversation as read',
  tool: { name: 'mark_conversation_read', when: 'Once its messages have been dealt with.' },
  description:
    'Marks the messages up to `upTo` as read by you; other users keep their own positions. The position never goes back: a message before `readUpTo` changes nothing and returns 200, too. Only inbound messages count as unread. Messages that arrived after `upTo` but are listed before it stay unread until you mark the conversation as read without `upTo`, or up to its last message. Emits `conversation_read` to your own connections.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: z.object({ upTo: z.optional(Id) }),
  descriptions: {
    upTo: 'A message of the conversation, of either direction; by default, the last one.',
  },
  output: changeResponse(ConversationResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.conversation }, body: {} },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId }) {
    const { isChanged, conversation } = await markRead(table, caller, path.id, body.upTo, {
      eventId: newId(),
      now,
    });
    return ok({ message: isChanged ? 'Conversation marked as read' : 'No changes', data: conversation });
  },
});
