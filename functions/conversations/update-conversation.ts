import { toContactState, withConversation } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { findConversationAggregate } from '../../shared/contact-aggregate/find-conversation.ts';
import { ConversationResponse } from '../../shared/conversations/conversation-response.ts';
import { readAt, readPositionKey } from '../../shared/conversations/read-position.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { conversationUpdated } from './model/conversation-events.ts';
import {
  ConversationFields,
  conversationUserActions,
  editedConversation,
} from './model/edit-conversation.ts';

export default operation({
  route: 'PATCH /api/conversations/{id}',
  summary: 'Resolve, assign or hand over a conversation',
  description:
    "Fields you leave out keep their value; `assignees` is replaced as a whole. An inbound message reopens a resolved conversation. Emits `contact_updated` with `contactId` and `conversationId`, since boards filter by assignees too; users who can no longer see the conversation get `contact_removed`. An update that changes nothing emits no event and keeps `updatedAt`. The new `userId` and new assignees are notified, unless they made the change. Handing a conversation over does not change the contact's owner.",
  family: 'plain',
  minimumRole: 'SALES_REP',
  asStep: true,
  body: ConversationFields,
  descriptions: {
    isResolved: 'Whether the conversation is resolved.',
    assignees: 'Ids of at most 5 users, who see the conversation even if they cannot see the contact.',
    userId: 'The user the conversation belongs to; null for nobody.',
  },
  output: changeResponse(ConversationResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.conversation }, body: { isResolved: true } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const [{ aggregate, conversation: before }, position] = await Promise.all([
        findConversationAggregate(table, caller, path.id),
        table.read(readPositionKey(caller.userId, path.id)),
      ]);
      const after = editedConversation(before, body, timestamp(now));
      if (after === before) {
        return ok({ message: 'No changes', data: readAt(before, position?.data) });
      }
      const state = withConversation(toContactState(aggregate), after);
      await table.commit([
        ...contactWrites(table, aggregate, state),
        ...conversationUserActions(table, before, body, caller),
        eventAction(table, conversationUpdated(state.contact, before, after, caller.userId), eventId, now),
      ]);
      return ok({ message: 'Conversation updated', data: readAt(after, position?.data) });
    });
  },
});
