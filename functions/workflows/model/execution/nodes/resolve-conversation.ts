import type { Channel, Conversation } from '../../../../../shared/conversations/conversation.ts';
import { resolveConversation } from '../../definition/record-nodes.ts';
import { isHidden, lacking } from '../can-see.ts';
import { executable } from '../executable.ts';
import { requireContact, type StepContext } from '../step-context.ts';

export default executable(resolveConversation, {
  read: async ({ channel }, sources) =>
    chosenConversation(sources.context, channel) === undefined && (await isHidden(sources)),
  decide({ channel }, { context, extra: hidden = false }) {
    const conversation = chosenConversation(context, channel);
    if (conversation === undefined) {
      return lacking('no_conversation', 'Conversation', hidden);
    }
    return {
      outcome: { status: 'passed', resultIds: { conversationId: conversation._id } },
      effect: {
        operation: 'update-conversation',
        path: { id: conversation._id },
        body: { isResolved: true },
      },
    };
  },
});

function chosenConversation(context: StepContext, channel: Channel | undefined): Conversation | undefined {
  const all = requireContact(context).conversations.filter(
    (conversation) => channel === undefined || conversation.channel === channel,
  );
  const open = all
    .filter(({ isResolved }) => !isResolved)
    .toSorted((a, b) => (latest(a) < latest(b) ? 1 : -1));
  return all.find(({ _id }) => _id === context.event.conversationId) ?? open[0] ?? all[0];
}

const latest = ({ lastMessageAt, createdAt, _id }: Conversation) => `${lastMessageAt ?? createdAt} ${_id}`;
