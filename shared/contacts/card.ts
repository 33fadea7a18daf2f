import type { StoredContact } from './contact.ts';

/** What a board entry need not repeat: its key and its column tell it. */
type Told = '_id' | 'createdAt' | 'organizationId' | 'pipelineId' | 'stageId';

/**
 * A contact as its board entries carry it, whole but small: a board of 160 cards is read by the byte. What is not there is
 * left out (an empty text is there), and so are an owner who is the creator and an update that is the creation.
 */
export type Card = Pick<StoredContact, 'createdBy'> & Partial<Omit<StoredContact, Told | 'createdBy'>>;

/** Where a card lies. */
export type CardPlace = Pick<StoredContact, Told>;

const isAbsent = (value: unknown) =>
  value === null ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

export function cardOf(contact: StoredContact): Card {
  const { _id, createdAt, organizationId, pipelineId, stageId, owner, updatedAt, ...rest } = contact;
  return {
    ...(Object.fromEntries(Object.entries(rest).filter(([, value]) => !isAbsent(value))) as Omit<
      Card,
      'owner'
    >),
    ...(owner === contact.createdBy ? {} : { owner }),
    ...(updatedAt === createdAt ? {} : { updatedAt }),
  };
}

/** The contact that a card shows. */
export function contactOf(card: Card, place: CardPlace): StoredContact {
  return {
    firstName: '',
    lastName: '',
    email: null,
    phoneNumbers: [],
    source: null,
    owner: card.createdBy,
    assignees: [],
    customFields: {},
    tags: [],
    isBulkImport: false,
    lastMessageAt: null,
    lastMessageDirection: null,
    conversationAssignees: [],
    updatedAt: place.createdAt,
    ...card,
    ...place,
  };
}
