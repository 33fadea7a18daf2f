import { expect } from 'vitest';
import { type Call, type CallRecord, isDiscarded } from '../../shared/calls/call.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import {
  type Conversation,
  conversationPeople,
  type Message,
} from '../../shared/conversations/conversation.ts';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import { inOrder, rawContactsIn, rawOf, rowsOfOrganization } from '../contacts/raw-table.ts';
import type { Person, Product } from '../harness/product.ts';
import type { Row } from '../seed/table.ts';

/** The records in the table of an organization, by their keys. */
export type Places = ReadonlyMap<string, unknown>;

/**
 * `CONTACT#c CONTACT`, `CALLS#all id`, …: partition within the organization, and sort key.
 * @param under how the partitions within the organization begin.
 */
export async function placesOf(product: Product, organizationId: string, under = ''): Promise<Places> {
  return placesIn(await rowsOfOrganization(product, organizationId, under), organizationId);
}

function placesIn(rows: readonly Row[], organizationId: string): Places {
  const own = `ORG#${organizationId}#`.length;
  return new Map(rows.map(({ pk, sk, data }) => [`${pk.slice(own)} ${sk}`, data] as const));
}

function recordsAt<Data>(places: Places, pattern: RegExp): Data[] {
  return [...places].filter(([place]) => pattern.test(place)).map(([, data]) => data as Data);
}

export const contactsIn = (places: Places) => recordsAt<StoredContact>(places, /^CONTACT#\S+ CONTACT$/);
export const messagesIn = (places: Places) => recordsAt<Message>(places, /^CONTACT#\S+ MESSAGE#/);
export const conversationsIn = (places: Places) =>
  recordsAt<Conversation>(places, /^CONTACT#\S+ CONVERSATION#/);
export const callsIn = (places: Places) =>
  recordsAt<CallRecord>(places, /^CALL#\S+ CALL$/).filter((call): call is Call => !isDiscarded(call));

/** Where calls, conversations and messages lie, given which of them there are; nothing of them may lie elsewhere. */
function expectedPlaces(places: Places): string[] {
  const contacts = new Map(contactsIn(places).map((contact) => [contact._id, contact]));
  return [
    ...callsIn(places).flatMap(({ _id, userId, contactId }) => [
      `CALLS#all ${_id}`,
      `CALLS#user#${userId} ${_id}`,
      ...(contacts.has(contactId) ? [`CONTACT#${contactId} VOICECALL#${_id}`] : []),
    ]),
    ...conversationsIn(places).flatMap((conversation) => {
      const contact = contacts.get(conversation.contactId);
      const people = contact === undefined ? [] : conversationPeople(contact, conversation);
      const sort = `${conversation.lastMessageAt ?? conversation.createdAt}#${conversation._id}`;
      return ['all', ...people.map((id) => `user#${id}`)].map((view) => `INBOX#${view} ${sort}`);
    }),
  ];
}

/**
 * The table of an organization hangs together, and contacts have their board entries, counters and phone locks. For organizations without
 * applications.
 */
export async function expectConsistent(product: Product, { organizationId }: Person): Promise<Places> {
  const rows = await rowsOfOrganization(product, organizationId);
  const places = placesIn(rows, organizationId);
  const records = contactsIn(places).map((contact) => ({
    ...toContactResponse(contact, undefined),
    ...definedOnly({ sender: contact.sender }),
  }));
  expect(inOrder(rawContactsIn(rows))).toEqual(inOrder(rawOf(records)));
  expectLinked(places);
  return places;
}

/**
 * What an organization has hangs together: what a contact owns has its contact, messages have their conversations, calls the
 * conversation of their contact, and lists hold what is there and nothing else.
 */
export function expectLinked(places: Places): void {
  const ids = new Set(contactsIn(places).map(({ _id }) => _id));
  const inContacts = [...places.keys()].filter((place) => place.startsWith('CONTACT#'));
  expect(inContacts.filter((place) => !ids.has(place.split(/[# ]/)[1] ?? ''))).toEqual([]);

  const listed = [...places].filter(([place]) => /^(CALLS|INBOX)#| VOICECALL#/.test(place));
  expect(listed.map(([place]) => place).sort()).toEqual(expectedPlaces(places).sort());
  const calls = new Map(callsIn(places).map((call) => [call._id, call]));
  for (const [place, data] of listed.filter(([place]) => !place.startsWith('INBOX'))) {
    expect(data).toEqual(calls.get(place.split(/[# ]/).at(-1) ?? ''));
  }
  for (const { contactId, conversationId } of calls.values()) {
    const place = `CONTACT#${contactId} CONVERSATION#${conversationId}`;
    expect(places.has(place)).toBe(ids.has(contactId));
  }

  const messages = Map.groupBy(messagesIn(places), ({ conversationId }) => conversationId);
  const conversations = conversationsIn(places);
  expect(conversations.map(({ _id }) => messages.get(_id)?.length ?? 0)).toEqual(
    conversations.map(({ messageCount }) => messageCount),
  );
  expect([...messages.keys()].filter((id) => !conversations.some(({ _id }) => _id === id))).toEqual([]);
}
