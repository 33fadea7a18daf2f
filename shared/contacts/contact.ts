import { isDeepStrictEqual } from 'node:util';
import type { Direction } from '../conversations/conversation.ts';
import { type Caller, userHere } from '../kernel/caller.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import { Failure } from '../kernel/failure.ts';
import { differentNames } from '../kernel/names/same-names.ts';
import { sameNumberForm } from '../kernel/names/same-numbers.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import type { Action, TableWriter } from '../table/table.ts';
import { type Consent, type ReleasedConsents, withConsentsOfNumbers } from './consent.ts';
import type { Holdings } from './holdings.ts';
import type { StageRef } from './stages.ts';

/** A contact in responses. Source: specification, "Contact"; decisions 6, "Record". */
export interface Contact {
  _id: string;
  organizationId: string;
  firstName: string;
  lastName: string;
  fullName: string;
  email: string | null;
  /** The id that another system has for it. */
  externalId: string | null;
  phoneNumbers: { value: string; label: string; isPrimary: boolean; extension?: string }[];
  source: string | null;
  pipelineId: string;
  stageId: string;
  /** The name of the stage. */
  stage: string;
  createdBy: string;
  owner: string | null;
  assignees: string[];
  customFields: Record<string, unknown>;
  tags: string[];
  isBulkImport: boolean;
  lastMessageAt: Timestamp | null;
  lastMessageDirection: Direction | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Since when it is archived; absent unless it is. */
  archivedAt?: Timestamp;
  /** Whether it wants text messages. */
  consent: Consent;
}

/** A stored contact, without derived fields. */
export interface StoredContact extends Omit<Contact, 'fullName' | 'stage' | 'consent' | 'externalId'> {
  /** Absent for none. */
  externalId?: string;
  /** Assignees of the contact's conversations, for the board's `assignee` filter. */
  conversationAssignees: string[];
  /**
   * Which way the last message went that is a reply of a person or comes from the contact, for the board's `messageStatus` filter; absent
   * if that is `lastMessageDirection`.
   */
  lastExchange?: Direction | null;
  /** The address it writes from, if that is not a phone number; absent otherwise. It finds the contact again. */
  sender?: string;
  /** Those of contacts that were merged into it. */
  formerSenders?: string[];
  /** Further ones of contacts that were merged into it. They find it, too. */
  formerExternalIds?: string[];
  /** The last statements for its numbers and its other address, by `numberLockName`. They take them along when they leave the contact. */
  consents?: Readonly<Record<string, Consent>>;
  /** The last statement for a contact without number and address; in records from before `consents` existed, for all that it has. */
  consent?: Consent;
  /** The digest of the contact's conversations and applications (`digestChildren`); absent if there are none. */
  childrenDigest?: string;
  /** Where its records are beside its own partition; absent until it is merged with another contact or separated. */
  holdings?: Holdings;
}

/** Changes of a contact; an absent field keeps its value. */
export type ContactChanges = {
  readonly [Field in
    | 'firstName'
    | 'lastName'
    | 'email'
    | 'externalId'
    | 'phoneNumbers'
    | 'source'
    | 'owner'
    | 'assignees'
    | 'customFields'
    | 'tags'
    | 'isBulkImport']?: Contact[Field] | undefined;
};

/** A new contact, owned by its creator unless the fields name an owner. */
export function newContact(
  id: string,
  creator: Omit<Caller, 'role'>,
  { pipelineId, stageId }: StageRef,
  fields: ContactChanges,
  at: Timestamp,
): StoredContact {
  const blank: StoredContact = {
    _id: id,
    organizationId: creator.organizationId,
    firstName: '',
    lastName: '',
    email: null,
    phoneNumbers: [],
    source: null,
    pipelineId,
    stageId,
    createdBy: creator.userId,
    owner: userHere(creator),
    assignees: [],
    customFields: {},
    tags: [],
    isBulkImport: false,
    lastMessageAt: null,
    lastMessageDirection: null,
    conversationAssignees: [],
    createdAt: at,
    updatedAt: at,
  };
  return edited(blank, fields, at);
}

/**
 * The contact with its changed fields.
 * @param released what was stated for its new numbers, as far as that is known.
 * @throws a 400 `Failure` when nothing is left that identifies the contact.
 */
export function edited(
  contact: StoredContact,
  fields: ContactChanges,
  at: Timestamp,
  released: ReleasedConsents = new Map(),
): StoredContact {
  const { phoneNumbers, assignees, tags, externalId } = fields;
  const { externalId: _, ...withoutExternalId } = contact;
  const result = withConsentsOfNumbers(
    contact,
    {
      ...(externalId === null ? withoutExternalId : contact),
      ...definedOnly({
        ...fields,
        externalId: externalId ?? undefined,
        phoneNumbers: phoneNumbers && withOnePrimary(phoneNumbers),
        assignees: assignees && [...new Set(assignees)],
        tags: tags && differentNames(tags),
      }),
      updatedAt: at,
    },
    released,
  );
  const { firstName, lastName, email } = result;
  if (firstName === '' && lastName === '' && !email && result.phoneNumbers.length === 0) {
    throw new Failure('INVALID', 'At least one of firstName, lastName, email and phoneNumbers is required');
  }
  return result;
}

/** Whether an edit changed anything but `updatedAt`. */
export function isUnchanged(before: StoredContact, after: StoredContact): boolean {
  return isDeepStrictEqual({ ...after, updatedAt: before.updatedAt }, before);
}

/** Which way the last message went that is a reply of a person or comes from the contact; null for none. */
export function contactLastExchange({
  lastExchange,
  lastMessageDirection,
}: Pick<StoredContact, 'lastExchange' | 'lastMessageDirection'>): Direction | null {
  return lastExchange === undefined ? lastMessageDirection : lastExchange;
}

/** The contact in another stage, perhaps of another pipeline. */
export function moved(
  contact: StoredContact,
  { pipelineId, stageId }: StageRef,
  at: Timestamp,
): StoredContact {
  return { ...contact, pipelineId, stageId, updatedAt: at };
}

/** The contact out of board, lists and searches from now on. */
export function archived(contact: StoredContact, at: Timestamp): StoredContact {
  return { ...contact, archivedAt: at, updatedAt: at };
}

/** The contact back in board, lists and searches; the same object if it is there. */
export function restored(contact: StoredContact, at: Timestamp): StoredContact {
  const { archivedAt, ...rest } = contact;
  return archivedAt === undefined ? contact : { ...rest, updatedAt: at };
}

/** The numbers of a contact with a single one. */
export function withOneNumber(value: string, extension?: string) {
  return { phoneNumbers: [{ value, label: '', isPrimary: true, ...definedOnly({ extension }) }] };
}

/** The numbers and other addresses of a contact. */
export const contactSenders = ({
  phoneNumbers,
  sender,
  formerSenders = [],
}: Pick<StoredContact, 'phoneNumbers' | 'sender' | 'formerSenders'>): string[] => [
  ...phoneNumbers.map(({ value }) => value),
  ...(sender === undefined ? [] : [sender]),
  ...formerSenders,
];

/** The ids that other systems have for a contact. */
export const externalIds = ({
  externalId,
  formerExternalIds = [],
}: Pick<StoredContact, 'externalId' | 'formerExternalIds'>): string[] => [
  ...(externalId === undefined ? [] : [externalId]),
  ...formerExternalIds,
];

/** The primary one among the numbers of a request: the first unless another one is said to be. */
export function primaryEntry<Entry extends { readonly isPrimary: boolean }>(
  numbers: readonly Entry[],
): Entry | undefined {
  return numbers.find(({ isPrimary }) => isPrimary) ?? numbers[0];
}

/** The number for calls and messages to a contact; undefined if it has none. */
export function primaryNumber(numbers: readonly { value: string; isPrimary: boolean }[]): string | undefined {
  return numbers.find(({ isPrimary }) => isPrimary)?.value;
}

/** This number (E.164) as the contact has it, perhaps in its other notation; undefined if it is not among them. */
export function ownNumber(
  numbers: readonly { value: string }[],
  wanted: string | undefined,
): string | undefined {
  return wanted === undefined
    ? undefined
    : numbers.find(({ value }) => sameNumberForm(value) === sameNumberForm(wanted))?.value;
}

/** The numbers with the first of the primary ones, or else the first of all, as the primary one. */
export function withOnePrimary(numbers: StoredContact['phoneNumbers']): StoredContact['phoneNumbers'] {
  const primary = primaryEntry(numbers);
  return numbers.map((number) => ({ ...number, isPrimary: number === primary }));
}

/** Whether a contact has no owner and no assignee. Source: decisions 6, "ownerFilter". */
export function isUnassigned({
  owner,
  assignees,
}: {
  readonly owner: string | null;
  readonly assignees: readonly string[];
}): boolean {
  return owner === null && assignees.length === 0;
}

export const contactKey = (id: string): Key<StoredContact> => ({
  partition: ['CONTACT', id],
  sort: ['CONTACT'],
});

/**
 * The condition that the contact is still there, for transactions that write to its separation data and not to itself:
 * the data of a deleted contact is deleted once, so nothing may be added to it afterwards.
 */
export function contactExists(table: TableWriter, contactId: string): Action {
  return table.require(contactKey(contactId), { when: 'attribute_exists(pk)' });
}

/** A contact with its separation data. */
export const contactRange = (id: string): Range<unknown> => ({ partition: ['CONTACT', id] });
