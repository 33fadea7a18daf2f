import type { StoredContact } from '../contacts/contact.ts';
import type { NewEvent } from '../live/outbox.ts';
import { type Call, callPeople, shown } from './call.ts';

/** Tells the call's user, and those who may see the contact, that an inbound call was answered. */
export function callAnswered(call: Call, contact: StoredContact): NewEvent {
  const { _id: callId, contactId, conversationId } = call;
  const ids = { callId, contactId, conversationId };
  return {
    event: 'call_answered',
    data: { ...ids, call: shown(call) },
    brief: ids,
    audience: { kind: 'record', people: callPeople(call, contact) },
  };
}
