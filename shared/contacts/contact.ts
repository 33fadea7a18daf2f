import { isDeepStrictEqual } from 'node:util';
import type { Direction } from '../conversations/conversation.ts';
import { type Caller, userHere } from '../kernel/caller.ts';
import { Failure } from '../kernel/failure.ts';
import { fullName } from '../organizations/user.ts';
import type { Stage } from '../pipelines/pipeline.ts';
import type { StagePlace } from '../pipelines/stages.ts';
import type { Key, Range } from '../table/key.ts';
import type { Timestamp } from '../time.ts';

/** A contact as answered. Source: specification, "Contact"; decisions 6, "Record". */
export interface Contact {
  _id: string;
  organizationId: string;
  firstName: string;
  lastName: string;
  fullName: string;
  email: string | null;
  phoneNumbers: { value: string; label: string; isPrimary: boolean }[];
  source: string | null;
  pipelineId: string;
  stageId: string;
  /** The stage's name. */
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
}

/** A contact as stored: without what follows from the rest. */
export interface StoredContact extends Omit<Contact, 'fullName' | 'stage'> {
  /** Assignees of the contact's conversations, for the board's `assignee` filter. */
  conversationAssignees: string[];
  /** Since when the contact wants no text messages; absent for one who takes them. */
  optedOutAt?: Timestamp;
  /** The digest of the contact's conversations and applications (`childrenDigestOf`); absent for none. */
  childrenDigest?: string;
}

/** What may be said of a contact; a field that is not given stays as it is. */
export type ContactChanges = {
  readonly [Field in
    | 'firstName'
    | 'lastName'
    | 'email'
    | 'phoneNumbers'
    | 'source'
    | 'owner'
    | 'assignees'
    | 'customFields'
    | 'tags'
    | 'isBulkImport']?: StoredContact[Field] | undefined;
};

/** A contact that the creator makes, and owns unless the fields say otherwise. */
export function newContact(
  id: string,
  creator: Omit<Caller, 'role'>,
  { pipelineId, stageId }: StagePlace,
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
 * The contact with the fields given in place of its own.
 * @throws a 400 `Failure` when nothing is left by which anybody could recognise it.
 */
export function edited(contact: StoredContact, fields: ContactChanges, at: Timestamp): StoredContact {
  const { phoneNumbers, assignees, tags, ...rest } = fields;
  const result: StoredContact = {
    ...contact,
    ...(Object.fromEntries(
      Object.entries(rest).filter(([, value]) => value !== undefined),
    ) as Partial<StoredContact>),
    ...(phoneNumbers === undefined ? {} : { phoneNumbers: withOnePrimary(phoneNumbers) }),
    ...(assignees === undefined ? {} : { assignees: [...new Set(assignees)] }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
    updatedAt: at,
  };
  const { firstName, lastName, email } = result;
  if (firstName === '' && lastName === '' && !email && result.phoneNumbers.length === 0) {
    throw new Failure('INVALID', 'At least one of firstName, lastName, email and phoneNumbers is required');
  }
  return result;
}

/** True when the contact edited says what it said before. */
export function isUnchanged(before: StoredContact, after: StoredContact): boolean {
  return isDeepStrictEqual({ ...after, updatedAt: before.updatedAt }, before);
}

/** The contact in another stage. */
export function moved(
  contact: StoredContact,
  { pipelineId, stageId }: StagePlace,
  at: Timestamp,
): StoredContact {
  return { ...contact, pipelineId, stageId, updatedAt: at };
}

function withOnePrimary(numbers: StoredContact['phoneNumbers']): StoredContact['phoneNumbers'] {
  const primary = Math.max(
    0,
    numbers.findIndex(({ isPrimary }) => isPrimary),
  );
  return numbers.map((number, index) => ({ ...number, isPrimary: index === primary }));
}

/** No owner and no assignee. Source: decisions 6, "ownerFilter". */
export function isUnassigned({ owner, assignees }: StoredContact): boolean {
  return owner === null && assignees.length === 0;
}

/** The contact as answered. */
export function shown(contact: StoredContact, stage: Pick<Stage, 'name'> | undefined): Contact {
  const { conversationAssignees: _, optedOutAt: __, childrenDigest: ___, ...rest } = contact;
  return { ...rest, fullName: fullName(contact), stage: stage?.name ?? '' };
}

export const contactKey = (id: string): Key<StoredContact> => ({
  partition: ['CONTACT', id],
  sort: ['CONTACT'],
});

/** A contact and all it owns. */
export const contactRange = (id: string): Range<unknown> => ({ partition: ['CONTACT', id] });

const ulidLength = 26;

/**
 * The id of what a contact owns (a note, a conversation, an application, …): a ULID of its own and the contact's id. It sorts by
 * time like every other, and tells the contact without a look-up: so one strongly consistent round trip reads the record and
 * the contact that decides who may see it.
 */
export function childId(contactId: string, newId: string): string {
  return `${newId}${contactId}`;
}

/** The contact that owns what has this id; for any other text, one that no contact has. */
export function contactIdIn(id: string): string {
  return id.slice(ulidLength) || '-';
}
