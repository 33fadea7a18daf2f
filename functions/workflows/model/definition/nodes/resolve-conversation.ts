import * as z from 'zod/mini';
import {
  type Channel,
  type Conversation,
  channels,
} from '../../../../../shared/conversations/conversation.ts';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { isHidden, lacking } from '../can-see.ts';
import type { Facts } from '../facts.ts';
import { knownState } from '../known-contact.ts';
import { nodeType } from './node-type.ts';

const Data = described(z.object({ channel: z.optional(z.enum(channels)) }), {
  channel: 'Only a conversation on this channel.',
});

export default nodeType<z.output<typeof Data>, boolean | undefined>({
  type: 'resolveConversation',
  title: 'Resolve the conversation',
  description:
    "Resolves a conversation as `PATCH /api/conversations/{id}` does: the one that the event of the run is about; else, of the contact's open conversations, the one with the latest message. If all are resolved, nothing changes. Skipped with `no_conversation` if the contact has none. The step has its `conversationId`.",
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  read: async ({ channel }, sources) =>
    chosenConversation(sources.facts, channel) === undefined && (await isHidden(sources)),
  decide({ channel }, { facts, extra: hidden = false }) {
    const conversation = chosenConversation(facts, channel);
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

function chosenConversation(facts: Facts, channel: Channel | undefined): Conversation | undefined {
  const all = knownState(facts).conversations.filter(
    (conversation) => channel === undefined || conversation.channel === channel,
  );
  const open = all
    .filter(({ isResolved }) => !isResolved)
    .toSorted((a, b) => (latest(a) < latest(b) ? 1 : -1));
  return all.find(({ _id }) => _id === facts.event.conversationId) ?? open[0] ?? all[0];
}

const latest = ({ lastMessageAt, createdAt, _id }: Conversation) => `${lastMessageAt ?? createdAt} ${_id}`;
