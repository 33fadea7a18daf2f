import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type Conversation, conversationAssigneeLimit } from '../../../shared/conversations/conversation.ts';
import { type Caller, userHere } from '../../../shared/kernel/caller.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { anyBoolean, Id } from '../../../shared/kernel/schemas/fields.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import { requiredUserActions } from '../../../shared/organizations/required-users.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** The changes of a conversation in a request; an absent key keeps its value. */
export const ConversationFields = z.object({
  isResolved: z.optional(anyBoolean),
  assignees: z.optional(z.array(Id).check(z.maxLength(conversationAssigneeLimit))),
  userId: z.optional(z.nullable(Id)),
});
export type ConversationFields = z.output<typeof ConversationFields>;

/** The conversation with its changed fields; the same object if nothing changes. */
export function editedConversation(
  conversation: Conversation,
  { assignees, ...fields }: ConversationFields,
  at: Timestamp,
): Conversation {
  const edited = {
    ...conversation,
    ...definedOnly({ ...fields, assignees: assignees && [...new Set(assignees)] }),
  };
  return isDeepStrictEqual(edited, conversation) ? conversation : { ...edited, updatedAt: at };
}

/** Actions that require new users of the conversation to be in the organization when the transaction commits. */
export function conversationUserActions(
  table: TableWriter,
  before: Conversation,
  { assignees = [], userId }: ConversationFields,
  caller: Caller,
): Action[] {
  const known = new Set([userHere(caller), before.userId, ...before.assignees]);
  const asked = new Map(assignees.map((assignee, index) => [assignee, `assignees[${index}]`]));
  if (userId) {
    asked.set(userId, 'userId');
  }
  return requiredUserActions(table, asked, known);
}
