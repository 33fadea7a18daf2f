import type { StoredApplication } from '../../../../shared/contact-aggregate/application.ts';
import type { ContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import { joinedConsents } from '../../../../shared/contacts/consent.ts';
import {
  contactSenders,
  externalIds,
  type StoredContact,
  withOnePrimary,
} from '../../../../shared/contacts/contact.ts';
import { withoutPlaceholderName } from '../../../../shared/contacts/placeholder-contact.ts';
import type { Conversation } from '../../../../shared/conversations/conversation.ts';
import { lastExchangeIn } from '../../../../shared/conversations/replies.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import { differentNames } from '../../../../shared/kernel/names/same-names.ts';
import { sameNumberForm } from '../../../../shared/kernel/names/same-numbers.ts';
import type { Timestamp } from '../../../../shared/kernel/time.ts';

/** The fields of which a merge takes one of both values. */
export const preferredFields = [
  'firstName',
  'lastName',
  'email',
  'externalId',
  'source',
  'owner',
  'stage',
  'customFields',
] as const;

export type Preference = {
  readonly [Field in (typeof preferredFields)[number]]?: 'this' | 'from' | undefined;
};

/** The contact into which another one is merged, with everything of both. */
export function mergedState(
  into: ContactState,
  from: ContactState,
  prefer: Preference,
  at: Timestamp,
): ContactState {
  const contact = mergedContact(into.contact, from.contact, prefer, at);
  const conversations = [
    ...into.conversations,
    ...from.conversations.map((conversation) => movedConversation(conversation, into, from.contact)),
  ];
  const applications = [...into.applications, ...from.applications.map((one) => ofContact(one, contact))];
  return { contact: withConversationsKnown(contact, conversations), conversations, applications };
}

/** A record of a merged contact, as the other one's. */
export const ofContact = <Data extends Conversation | StoredApplication>(
  record: Data,
  { _id: contactId }: Pick<StoredContact, '_id'>,
): Data => ({ ...record, contactId });

/** Conversations stay apart, each with the numbers that it was for. */
function movedConversation(
  conversation: Conversation,
  into: ContactState,
  from: StoredContact,
): Conversation {
  const { numbers = contactSenders(from) } = conversation;
  return { ...ofContact(conversation, into.contact), numbers };
}

/** The contact with what it knows of its conversations. */
export function withConversationsKnown(
  { lastExchange: _, ...contact }: StoredContact,
  conversations: readonly Conversation[],
): StoredContact {
  const lastExchange = lastExchangeIn(conversations);
  return {
    ...contact,
    conversationAssignees: [...new Set(conversations.flatMap(({ assignees }) => assignees))],
    ...(lastExchange !== undefined && lastExchange !== contact.lastMessageDirection && { lastExchange }),
  };
}

function mergedContact(
  into: StoredContact,
  from: StoredContact,
  prefer: Preference,
  at: Timestamp,
): StoredContact {
  const [named, otherNamed] = [withoutPlaceholderName(into), withoutPlaceholderName(from)];
  const names = named.firstName + named.lastName + otherNamed.firstName + otherNamed.lastName;
  const [one, other] = names === '' ? [into, from] : [named, otherNamed];
  const either = <Value>(field: keyof Preference, own: Value, others: Value): Value =>
    isEmpty(own) || (prefer[field] === 'from' && !isEmpty(others)) ? others : own;
  const owner = either('owner', into.owner, from.owner);
  const externalId = either('externalId', into.externalId, from.externalId);
  const place = prefer.stage === 'from' ? from : into;
  const last = (into.lastMessageAt ?? '') < (from.lastMessageAt ?? '') ? from : into;
  const [sender, ...formerSenders] = [into, from].flatMap((contact) =>
    contactSenders({ ...contact, phoneNumbers: [] }),
  );
  const formerExternalIds = [into, from].flatMap(externalIds).filter((id) => id !== externalId);
  const holdings = [into, from].map((contact) => contact.holdings ?? { mergedIds: [], partitions: [] });
  const { externalId: _, sender: __, consents: ___, consent: ____, ...rest } = into;
  const merged: StoredContact = {
    ...rest,
    firstName: either('firstName', one.firstName, other.firstName),
    lastName: either('lastName', one.lastName, other.lastName),
    email: either('email', into.email, from.email),
    source: either('source', into.source, from.source),
    pipelineId: place.pipelineId,
    stageId: place.stageId,
    owner,
    assignees: [
      ...new Set([
        ...into.assignees,
        ...from.assignees,
        ...[into.owner, from.owner].flatMap((user) => user ?? []),
      ]),
    ].filter((userId) => userId !== owner || into.assignees.includes(userId)),
    phoneNumbers: joinedNumbers(into.phoneNumbers, from.phoneNumbers),
    tags: differentNames([...into.tags, ...from.tags]),
    customFields:
      prefer.customFields === 'from'
        ? { ...into.customFields, ...filled(from.customFields) }
        : { ...from.customFields, ...filled(into.customFields) },
    lastMessageAt: last.lastMessageAt,
    lastMessageDirection: last.lastMessageDirection,
    ...definedOnly({ externalId, sender }),
    ...(formerSenders.length > 0 && { formerSenders }),
    ...(formerExternalIds.length > 0 && { formerExternalIds }),
    holdings: {
      mergedIds: [...holdings.flatMap(({ mergedIds }) => mergedIds), from._id],
      partitions: [...new Set([...holdings.flatMap(({ partitions }) => partitions), from._id])].filter(
        (partition) => partition !== into._id,
      ),
    },
    updatedAt: at,
  };
  return { ...merged, ...joinedConsents(into, from, merged) };
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

const filled = (fields: StoredContact['customFields']): StoredContact['customFields'] =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));

/** The numbers of both; the primary one is that of the first, if it has one. */
function joinedNumbers(
  own: StoredContact['phoneNumbers'],
  others: StoredContact['phoneNumbers'],
): StoredContact['phoneNumbers'] {
  const known = new Set(own.map(({ value }) => sameNumberForm(value)));
  const added = others.filter(({ value }) => !known.has(sameNumberForm(value)));
  return withOnePrimary([
    ...own,
    ...added.map((number) => ({ ...number, isPrimary: own.length === 0 && number.isPrimary })),
  ]);
}
