import answerInboundCall from '../../../functions/calls/answer-inbound-call.ts';
import endCall from '../../../functions/calls/end-call.ts';
import recordMissedCall from '../../../functions/calls/record-missed-call.ts';
import startOutboundCall from '../../../functions/calls/start-outbound-call.ts';
import type { FinalStatus } from '../../../shared/calls/call.ts';
import { primaryNumber } from '../../../shared/contacts/contact.ts';
import type { Conversation, Direction } from '../../../shared/conversations/conversation.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, minute, second } from '../../../shared/kernel/time.ts';
import { queuedMessageKey, queuedMessageRange } from '../../../shared/messages/queued-message.ts';
import type { Past } from './past.ts';
import { responsibleUser, type SeedContact } from './seed-contacts.ts';

/** How calls end, each as often as its share. */
const endings: Record<Direction, readonly FinalStatus[]> = {
  inbound: ['completed', 'completed', 'completed', 'failed'],
  outbound: ['completed', 'completed', 'no-answer', 'voicemail', 'busy', 'canceled'],
};

/** Makes the calls of the contact's owner, if the contact has a voice conversation, and for some other contacts. */
export async function makeCalls(
  past: Past,
  seedContact: SeedContact,
  conversations: readonly Conversation[],
): Promise<void> {
  const { random } = past;
  const spoken = conversations.find(({ channel }) => channel === 'voice');
  const number = primaryNumber(seedContact.fields.phoneNumbers ?? []);
  if (number === undefined || !random.chance(spoken === undefined ? 0.15 : 0.9)) {
    return;
  }
  const from = spoken === undefined ? seedContact.createdAt : new Date(spoken.createdAt);
  const until = after(past.now, -20 * minute);
  const by = responsibleUser(seedContact);
  for (let left = random.pick([1, 1, 2]); left > 0 && from < until; left -= 1) {
    const direction = random.pick(['inbound', 'outbound'] as const);
    const status = random.pick(endings[direction]);
    const seconds = 2 + random.below(status === 'completed' ? 600 : 45);
    const at = random.momentBetween(from, until);
    // Some browsers are closed before they report the end of their call.
    const ending = random.chance(0.05) ? undefined : { status, seconds };
    await makeCall(past, { direction, by, at, number, ending });
  }
}

export interface PastCall {
  readonly direction: Direction;
  /** The user. */
  readonly by: string;
  readonly at: Date;
  /** The number of the other side. */
  readonly number: string;
  /** Undefined for a call that is still under way. */
  readonly ending: { readonly status: FinalStatus; readonly seconds: number } | undefined;
  /** The ids of the call and of the contact that it creates for an unknown number; any unless stated. */
  readonly ids?: readonly string[];
}

export async function makeCall(
  past: Past,
  { direction, by, at, number, ending, ids }: PastCall,
): Promise<void> {
  const start = direction === 'inbound' ? answerInboundCall : startOutboundCall;
  const body = direction === 'inbound' ? { callerNumber: number } : { phoneNumber: number };
  const { call } = await past.run<{ call: { _id: string } }>(start, { at, by, body, ids });
  if (ending !== undefined) {
    const { status, seconds } = ending;
    const path = { callId: call._id };
    await past.run(endCall, { at: after(at, seconds * second), by, path, body: { status } });
  }
}

/** A call that the user missed, and the text to its caller, which was sent at once. */
export async function missCall(
  past: Past,
  { by, at, number }: { readonly by: string; readonly at: Date; readonly number: string },
): Promise<void> {
  const body = { callerNumber: number };
  const { call } = await past.run<{ call: { contactId: string } }>(recordMissedCall, { at, by, body });
  const table = past.table(demo.organization);
  for (const { data: queued } of await table.list(queuedMessageRange(call.contactId))) {
    const { contactId, conversationId, messageId } = queued;
    const message = await table.read(messageKey(contactId, conversationId, messageId));
    if (message !== undefined) {
      const sent = {
        status: 'sent' as const,
        providerMessageId: `SM${Array.from({ length: 32 }, () => past.random.below(16).toString(16)).join('')}`,
      };
      // Texts of the past are not sent again now.
      await table.commit([
        table.replace(message, { ...message.data, ...sent }),
        table.delete(queuedMessageKey(contactId, messageId)),
      ]);
    }
  }
}
