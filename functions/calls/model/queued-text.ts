import type { Call } from '../../../shared/calls/call.ts';
import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import type { NewEvent } from '../../../shared/events/outbox.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { messageCreated } from '../../../shared/messages/message-events.ts';
import { automaticText, newMessage } from '../../../shared/messages/new-message.ts';
import { queueActions } from '../../../shared/messages/queue-actions.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import type { ChangeIds } from './missed-call-context.ts';

interface NewText {
  /** The call that it follows: it leaves from the number that was called, to the one that called. */
  readonly call: Call;
  readonly content: string;
  readonly before: ContactState;
}

/**
 * A text to the caller of a missed call, with the contact that has it, to be stored and counted by `commitText`. Its `actions` take the
 * id of its event.
 */
export function queuedText(
  table: TableWriter,
  { call, content, before }: NewText,
  ids: ChangeIds,
  now: Date,
): { messageId: string; state: ContactState; actions: (movedIn: string) => Action[]; event: NewEvent } {
  const spoken = before.conversations.find(({ _id }) => _id === call.conversationId);
  const { state, conversation, message } = newMessage(
    before,
    { ...automaticText(content, call.providerPhoneNumber ?? null), callId: call._id },
    { owner: spoken?.userId ?? null, address: call.from },
    { conversation: ids.textConversation, message: ids.message },
    timestamp(now),
  );
  return {
    messageId: message._id,
    state,
    actions: (movedIn) => queueActions(table, { ...message, movedIn }, call.from ?? '', now),
    event: messageCreated(state.contact, conversation, message),
  };
}
