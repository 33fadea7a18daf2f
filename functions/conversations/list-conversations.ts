import * as z from 'zod/mini';
import { channels } from '../../shared/conversations/conversation.ts';
import { ConversationResponse } from '../../shared/conversations/conversation-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { listResponse, pageDescriptions, pageQuery, QueryFlag } from '../../shared/kernel/schemas/paging.ts';
import { readContactInboxPage, readInboxPage } from './model/inbox.ts';

export default operation({
  route: 'GET /api/conversations',
  summary: 'List conversations',
  tool: {
    name: 'list_conversations',
    when: 'To find what was said with a contact, or which conversations wait for an answer.',
  },
  description:
    'Ordered by last message, newest first. You see the conversations of contacts in your scope, and those whose `userId` or assignees include a user in your scope. With a filter, any page may be shorter than its limit.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({
    contactId: z.optional(Id),
    assignee: z.optional(Id),
    channel: z.optional(z.enum(channels)),
    isResolved: z.optional(QueryFlag),
    ...pageQuery,
  }),
  descriptions: {
    contactId: 'Only conversations of this contact; none if there is no such contact.',
    assignee: 'Only conversations that this user is assigned to.',
    channel: 'Only conversations on this channel.',
    isResolved: '`true`: only resolved conversations; `false`: only unresolved ones.',
    ...pageDescriptions,
  },
  output: listResponse(ConversationResponse),
  example: { query: { contactId: demo.ada } },
  uses: { table: 'read' },
  async run({ query: { contactId, limit, cursor, ...filter } }, { table, caller }) {
    const { conversations, nextCursor } =
      contactId === undefined
        ? await readInboxPage(table, caller, filter, { limit, cursor })
        : await readContactInboxPage(table, caller, contactId, filter, { limit, cursor });
    return ok({ data: [...conversations], nextCursor });
  },
});
