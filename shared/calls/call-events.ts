import type { StoredContact } from '../contacts/contact.ts';
import type { Conversation } from '../conversations/conversation.ts';
import { conversationCreated } from '../events/event-change.ts';
import type { EventName, NewEvent } from '../events/outbox.ts';
import { type Call, callPeople, isMissed, toCallResponse } from './call.ts';

type CallEvent = Extract<EventName, `call_${string}`>;

/**
 * The events that tell a call's user, and those who may see its contact, what happened to it; `before` is undefined for a new call,
 * `contact` for a deleted one. `begun` is the conversation that begins with a new call.
 */
export function callEvents(
  before: Call | undefined,
  after: Call,
  contact: StoredContact | undefined,
  begun?: Conversation,
): NewEvent[] {
  const { _id: callId, contactId, conversationId } = after;
  const ids = { callId, contactId, conversationId };
  return happened(before, after).map((event, index) => ({
    event,
    data: { ...ids, call: toCallResponse(after) },
    brief: ids,
    audience: { kind: 'record', people: callPeople(after, contact) },
    ...(index === 0 && begun && { change: { conversation: conversationCreated(begun) } }),
  }));
}

/** Each call has one `call_initiated` or begins with `call_answered`, and has one `call_ended`, however many reports were lost. */
function happened(before: Call | undefined, after: Call): CallEvent[] {
  const names: CallEvent[] = [];
  if (before === undefined && after.answerTime === undefined) {
    names.push('call_initiated');
  }
  if (before?.answerTime === undefined && after.answerTime !== undefined) {
    names.push('call_answered');
  }
  if (before?.endTime === undefined && after.endTime !== undefined) {
    names.push('call_ended', ...(isMissed(after) ? (['call_missed'] as const) : []));
  }
  return names.length === 0 ? ['call_updated'] : names;
}
