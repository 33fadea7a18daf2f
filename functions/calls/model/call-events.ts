import { type Call, callPeople, toCallResponse } from '../../../shared/calls/call.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { NewEvent } from '../../../shared/live/outbox.ts';

/** The event that tells the call's user, and those who may see the contact, that an inbound call was answered. */
export function callAnswered(call: Call, contact: StoredContact): NewEvent {
  const { _id: callId, contactId, conversationId } = call;
  const ids = { callId, contactId, conversationId };
  return {
    event: 'call_answered',
    data: { ...ids, call: toCallResponse(call) },
    brief: ids,
    audience: { kind: 'record', people: callPeople(call, contact) },
  };
}
