import { contactLastExchange, type StoredContact } from '../contacts/contact.ts';
import { searchedText } from './text-search.ts';

/** The fields that conditions other than a search test. */
export type FilteredFields = Readonly<
  Pick<
    StoredContact,
    | 'createdBy'
    | 'owner'
    | 'source'
    | 'isBulkImport'
    | 'lastMessageAt'
    | 'lastMessageDirection'
    | 'lastExchange'
  >
> & {
  readonly assignees: readonly string[];
  readonly conversationAssignees: readonly string[];
};

/**
 * A contact as the search index holds it: its place on the board and everything that a board filters by. `lastMessageDirection` is that of
 * the last message that counts for `messageStatus`.
 */
export interface IndexedContact extends Place, FilteredFields {
  /** First and last name with a space between, as `searchedText` has them. */
  readonly name: string;
  /** The values of its phone numbers. */
  readonly phones: readonly string[];
  readonly customFields: StoredContact['customFields'];
  readonly tags: readonly string[];
  readonly updatedAt: StoredContact['updatedAt'];
}

/** Where a contact stands on the board of its pipeline. */
export interface Place {
  readonly stageId: string;
  readonly createdAt: string;
  readonly _id: string;
}

/** The contact as the index holds it: what filters compare and what orders the rows. */
export function indexedContact(contact: StoredContact): IndexedContact {
  const { _id, createdAt, stageId, createdBy, owner, assignees, conversationAssignees } = contact;
  const { source, isBulkImport, lastMessageAt, customFields, tags, updatedAt } = contact;
  return {
    _id,
    createdAt,
    stageId,
    ...searchedText(contact),
    createdBy,
    owner,
    assignees,
    conversationAssignees,
    source,
    isBulkImport,
    lastMessageAt,
    lastMessageDirection: contactLastExchange(contact),
    customFields,
    tags,
    updatedAt,
  };
}

/** About the memory of a contact as an object: custom fields have up to 16 KB, everything else together takes little. */
export function contactBytes({ customFields }: Pick<IndexedContact, 'customFields'>): number {
  return 1_500 + 2 * JSON.stringify(customFields).length;
}

/** Negative if the first stands above the second in a column: it is newer, or as old with the higher id. */
export function inBoardOrder(a: Omit<Place, 'stageId'>, b: Omit<Place, 'stageId'>): number {
  return descending(a.createdAt, b.createdAt) || descending(a._id, b._id);
}

function descending(a: string, b: string): number {
  return a === b ? 0 : a < b ? 1 : -1;
}
