import { filedIn } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { filingSteps } from '../../shared/contact-aggregate/contact-writes.ts';
import { visibleConversationDossier } from '../../shared/contact-aggregate/find-conversation.ts';
import { ConversationAnswer } from '../../shared/conversations/conversation-response.ts';
import { withConversation } from '../../shared/conversations/correspondence.ts';
import * as demo from '../../shared/demo-ids.ts';
import { changeAnswer } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { eventStep } from '../../shared/live/outbox.ts';
import { optimistically } from '../../shared/table/optimistic.ts';
import { timestamp } from '../../shared/time.ts';
import { conversationUpdated } from './model/conversation-events.ts';
import { ConversationFields, conversationUserSteps, editedConversation } from './model/edit-conversation.ts';

export default operation({
  route: 'PATCH /api/conversations/{id}',
  summary: 'Resolve, assign or hand over a conversation',
  description:
    "A key that is absent stays; `assignees` are replaced whole. A message that comes in opens a resolved conversation again. The event is `contact_updated` with `contactId` and `conversationId`, since boards filter by assignees too; whoever cannot see the conversation any more gets `contact_removed`. An update that changes nothing emits no event and leaves `updatedAt`. Handing a conversation over does not change the contact's owner.",
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: ConversationFields,
  meanings: {
    isResolved: 'Whether it is settled.',
    assignees: 'At most 5 ids of users, who see the conversation whether or not they see the contact.',
    userId: 'Whose conversation it is; null for nobody.',
  },
  output: changeAnswer(ConversationAnswer),
  example: { path: { id: demo.conversation }, body: { isResolved: true } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId, random }) {
    const eventId = newId();
    return optimistically(random, async () => {
      const { dossier, conversation: before } = await visibleConversationDossier(table, caller, path.id);
      const after = editedConversation(before, body, timestamp(now));
      if (after === before) {
        return { success: true as const, message: 'The conversation is so already', data: before };
      }
      const filed = withConversation(filedIn(dossier), after);
      await table.commit([
        ...filingSteps(table, dossier, filed),
        ...conversationUserSteps(table, before, body, caller),
        eventStep(table, conversationUpdated(filed.contact, before, after), eventId, now),
      ]);
      return { success: true as const, message: 'Conversation updated', data: after };
    });
  },
});
