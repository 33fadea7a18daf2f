import type { Conversation } from '../../shared/conversations/conversation.ts';
import type { StoredEvent } from '../../shared/events/outbox.ts';
import { readEvents } from '../harness/events.ts';
import type { Tenants } from '../harness/tenants.ts';
import type { CallRecord } from './client.ts';
import { callsIn, contactsIn, conversationsIn, readRecords } from './consistency.ts';

/** The voice conversations of a contact of the tests' own organization. */
export async function readVoiceConversations(
  { product, admin }: Tenants,
  contactId: string,
): Promise<Conversation[]> {
  const records = await readRecords(product, admin.organizationId);
  return conversationsIn(records).filter(
    (conversation) => conversation.contactId === contactId && conversation.channel === 'voice',
  );
}

/** The events about a contact, oldest first. */
export async function eventsAbout({ product, admin }: Tenants, contactId: string): Promise<StoredEvent[]> {
  const events = await readEvents(product, admin.organizationId);
  return events.filter(({ data }) => data.contactId === contactId);
}

/** The names of the events of calls with a contact, oldest first. */
export async function callEvents(tenants: Tenants, contactId: string): Promise<string[]> {
  const names = (await eventsAbout(tenants, contactId)).map(({ event }) => event);
  return names.filter((name) => name.startsWith('call_'));
}

/** Which records of a call and its contact are left. */
export async function left({ product, admin }: Tenants, { _id, contactId, conversationId }: CallRecord) {
  const records = await readRecords(product, admin.organizationId);
  return {
    call: callsIn(records).some((call) => call._id === _id),
    conversation: conversationsIn(records).some((conversation) => conversation._id === conversationId),
    contact: contactsIn(records).some((contact) => contact._id === contactId),
  };
}

/** The body of a request that also deletes the contact of a call. */
export const withContact = ({ contactId }: CallRecord) => ({ contactId, deleteContact: true });
