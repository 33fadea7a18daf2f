import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { Caller } from '../kernel/caller.ts';
import { Failure } from '../kernel/failure.ts';
import { given, Id, yesOrNo } from '../kernel/fields.ts';
import { keys } from '../table/keys.ts';
import type { Step, TableWriter } from '../table/table.ts';
import type { Timestamp } from '../time.ts';
import { type Conversation, conversationAssigneeLimit } from './conversation.ts';

/** What a client may change of a conversation. A key that is absent stays as it is. */
export const ConversationFields = z.object({
  isResolved: z.optional(yesOrNo),
  assignees: z.optional(z.array(Id).check(z.maxLength(conversationAssigneeLimit))),
  userId: z.optional(z.nullable(Id)),
});
export type ConversationFields = z.output<typeof ConversationFields>;

/** The conversation with the fields given in place of its own; the same one when they say nothing new. */
export function editedConversation(
  conversation: Conversation,
  { assignees, ...fields }: ConversationFields,
  at: Timestamp,
): Conversation {
  const edited = {
    ...conversation,
    ...given({ ...fields, assignees: assignees && [...new Set(assignees)] }),
  };
  return isDeepStrictEqual(edited, conversation) ? conversation : { ...edited, updatedAt: at };
}

/** Steps that require those newly tied to the conversation to be users of the organization when the transaction commits. */
export function conversationUserSteps(
  table: TableWriter,
  before: Conversation,
  { assignees = [], userId }: ConversationFields,
  caller: Caller,
): Step[] {
  const isAtHome = caller.organizationId === caller.homeOrganizationId;
  const known = new Set([isAtHome ? caller.userId : undefined, before.userId, ...before.assignees]);
  const asked = new Map(assignees.map((one, index) => [one, `assignees[${index}]`]));
  if (userId) {
    asked.set(userId, 'userId');
  }
  return [...asked]
    .filter(([one]) => !known.has(one))
    .map(([one, field]) =>
      table.require(keys.user(one), {
        when: 'attribute_exists(pk)',
        otherwise: () => new Failure('INVALID', `${field} must be the id of a user of this organization`),
      }),
    );
}
