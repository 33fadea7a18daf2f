import type { FilteredFields, IndexedContact } from './indexed-contact.ts';
import type { Family } from './packed-block.ts';
import type { TextSearch } from './text-search.ts';

export type FieldPredicate = (contact: FilteredFields) => boolean;

/** The condition on one custom field. */
export interface FieldTest {
  readonly key: string;
  /**
   * Whether the value of the field is right; a contact without the field never is.
   * @throws a 400 `Failure` when the expressions of the request take too long.
   */
  matches(value: unknown): boolean;
}

/** The condition that a contact has a tag for which this holds. */
export type TagTest = (tag: string) => boolean;

/** The question of a query to a block. */
export interface BlockQuery {
  /** When a contact was created, both ends inclusive; either may be missing. */
  readonly created: { readonly from: string | undefined; readonly to: string | undefined } | undefined;
  readonly search: TextSearch | undefined;
  readonly predicates: readonly FieldPredicate[];
  readonly customFields: readonly FieldTest[];
  readonly tags: readonly TagTest[];
}

/** The contacts that the index looks for in the columns of a board. */
export interface SearchQuery extends BlockQuery {
  /** Identifies it; undefined if it never comes again. */
  readonly selection: string | undefined;
  /** The same for a single contact. */
  matches(contact: IndexedContact): boolean;
}

/** The families that a query needs. */
export function familiesFor({ search, predicates, customFields, tags }: BlockQuery): Family[] {
  return [
    'keys',
    ...(search === undefined ? [] : (['text'] as const)),
    ...(predicates.length === 0 ? [] : (['people', 'times'] as const)),
    ...(customFields.length === 0 ? [] : (['fields'] as const)),
    ...(tags.length === 0 ? [] : (['tags'] as const)),
  ];
}
