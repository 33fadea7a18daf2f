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
import { inOrder, rawContactsIn, rowsOfOrganization, toRaw } from '../contacts/raw-table.ts';
import type { Person, Product } from '../harness/product.ts';
import type { Row } from '../seed/table.ts';

/** The records in the table of an organization, by their keys. */
export type RecordsByKey = ReadonlyMap<string, unknown>;

/**
 * `CONTACT#c CONTACT`, `CALLS#all id`, …: partition within the organization, and sort key.
 * @param under how the partitions within the organization begin.
 */
export async function readRecords(
  product: Product,
  organizationId: string,
  under = '',
): Promise<RecordsByKey> {
  return recordsByKey(await rowsOfOrganization(product, organizationId, under), organizationId);
}

function recordsByKey(rows: readonly Row[], organizationId: string): RecordsByKey {
  const own = `ORG#${organizationId}#`.length;
  return new Map(rows.map(({ pk, sk, data }) => [`${pk.slice(own)} ${sk}`, data] as const));
}

function recordsAt<Data>(records: RecordsByKey, pattern: RegExp): Data[] {
  return [...records].filter(([keyText]) => pattern.test(keyText)).map(([, data]) => data as Data);
}

export const contactsIn = (records: RecordsByKey) =>
  recordsAt<StoredContact>(records, /^CONTACT#\S+ CONTACT$/);
export const messagesIn = (records: RecordsByKey) => recordsAt<Message>(records, /^CONTACT#\S+ MESSAGE#/);
export const conversationsIn = (records: RecordsByKey) =>
  recordsAt<Conversation>(records, /^CONTACT#\S+ CONVERSATION#/);
export const callsIn = (records: RecordsByKey) =>
  recordsAt<CallRecord>(records, /^CALL#\S+ CALL$/).filter((call): call is Call => !isDiscarded(call));

/** Where calls, conversations and messages lie, given which of them there are; nothing of them may lie elsewhere. */
function expectedKeyTexts(records: RecordsByKey): string[] {
  const contacts = new Map(contactsIn(records).map((contact) => [contact._id, contact]));
  return [
    ...callsIn(records).flatMap(({ _id, userId, contactId }) => [
      `CALLS#all ${_id}`,
      `CALLS#user#${userId} ${_id}`,
      ...(contacts.has(contactId) ? [`CONTACT#${contactId} VOICECALL#${_id}`] : []),
    ]),
    ...conversationsIn(records).flatMap((conversation) => {
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
export async function expectConsistent(product: Product, { organizationId }: Person): Promise<RecordsByKey> {
  const rows = await rowsOfOrganization(product, organizationId);
  const records = recordsByKey(rows, organizationId);
  const contacts = contactsIn(records).map((contact) => ({
    ...toContactResponse(contact, undefined),
    ...definedOnly({ sender: contact.sender }),
  }));
  expect(inOrder(rawContactsIn(rows))).toEqual(inOrder(toRaw(contacts)));
  expectLinked(records);
  return records;
}

/**
 * The records of an organization hang together: what a contact owns has its contact, messages have their conversations, calls the
 * conversation of their contact, and lists hold what is there and nothing else.
 */
export function expectLinked(records: RecordsByKey): void {
  const ids = new Set(contactsIn(records).map(({ _id }) => _id));
  const inContacts = [...records.keys()].filter((keyText) => keyText.startsWith('CONTACT#'));
  const contactOf = (keyText: string) => keyText.split(/[# ]/)[1] ?? '';
  const merged = new Set(inContacts.filter((keyText) => keyText.endsWith(' CONTACT_MERGED')).map(contactOf));
  const isOfNobody = (id: string) => !ids.has(id) && !merged.has(id);
  expect(inContacts.filter((keyText) => isOfNobody(contactOf(keyText)))).toEqual([]);

  const listed = [...records].filter(([keyText]) => /^(CALLS|INBOX)#| VOICECALL#/.test(keyText));
  expect(listed.map(([keyText]) => keyText).sort()).toEqual(expectedKeyTexts(records).sort());
  const calls = new Map(callsIn(records).map((call) => [call._id, call]));
  for (const [keyText, data] of listed.filter(([keyText]) => !keyText.startsWith('INBOX'))) {
    expect(data).toEqual(calls.get(keyText.split(/[# ]/).at(-1) ?? ''));
  }
  for (const { contactId, conversationId } of calls.values()) {
    const keyText = `CONTACT#${contactId} CONVERSATION#${conversationId}`;
    expect(records.has(keyText)).toBe(ids.has(contactId));
  }

  const messages = Map.groupBy(messagesIn(records), ({ conversationId }) => conversationId);
  const conversations = conversationsIn(records);
  expect(conversations.map(({ _id }) => messages.get(_id)?.length ?? 0)).toEqual(
    conversations.map(({ messageCount }) => messageCount),
  );
  expect([...messages.keys()].filter((id) => !conversations.some(({ _id }) => _id === id))).toEqual([]);
}
