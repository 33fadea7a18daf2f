import { isUnassigned, lastExchangeOf, type StoredContact } from '../../../shared/contacts/contact.ts';
import { folded } from '../../../shared/folded.ts';
import type { Involved } from '../../../shared/visibility.ts';
import type { Conditions } from './board-plan.ts';
import type { BoardContact } from './board-row.ts';
import { digitsOf, searchedDigits } from './searched-digits.ts';
import { isWithin } from './time-range.ts';

export type Predicate = (contact: BoardContact) => boolean;

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

export type FieldPredicate = (contact: FilteredFields) => boolean;

type FieldConditions = Omit<Conditions, 'search'>;

const predicates: {
  [Name in keyof FieldConditions]-?: (wanted: NonNullable<Conditions[Name]>) => FieldPredicate;
} = {
  tiedTo: (sets) => (contact) => sets.every((set) => isTiedTo(set, contact)),
  unassigned: () => isUnassigned,
  bulkImport:
    () =>
    ({ isBulkImport }) =>
      isBulkImport,
  source: (wanted) => (contact) => contact.source === wanted,
  lastExchange: (wanted) => (contact) => lastExchangeOf(contact) === wanted,
  silentSince:
    (since) =>
    ({ lastMessageAt }) =>
      lastMessageAt === null || lastMessageAt < since,
  lastMessage:
    (range) =>
    ({ lastMessageAt }) =>
      lastMessageAt !== null && isWithin(lastMessageAt, range),
  assignees:
    (wanted) =>
    ({ conversationAssignees }) =>
      conversationAssignees.some((id) => wanted.has(id)),
};

/** The predicates of all conditions. */
export function predicatesOf(conditions: Conditions): Predicate[] {
  const { search } = conditions;
  return [
    ...fieldPredicatesOf(conditions),
    ...(search === undefined ? [] : [searchPredicate(textSearch(search))]),
  ];
}

/** The predicates of all conditions but the search. */
export function fieldPredicatesOf({ search: _, ...conditions }: Conditions): FieldPredicate[] {
  return Object.entries(conditions).map(([name, wanted]) =>
    predicates[name as keyof FieldConditions](wanted as never),
  );
}

/** Whether one of these users is among the contact's people. */
export function isTiedTo(users: ReadonlySet<string>, { createdBy, owner, assignees }: Involved): boolean {
  return (
    users.has(createdBy) ||
    (owner !== null && users.has(owner)) ||
    (assignees.length > 0 && assignees.some((userId) => users.has(userId)))
  );
}

/** What a search looks for. */
export interface TextSearch {
  /** Folded, not empty. */
  readonly text: string;
  /** Digits of which a phone number must have one; none if the text is not a part of one. */
  readonly digits: readonly string[];
}

/** How to search for a folded text that is not empty. */
export function textSearch(text: string): TextSearch {
  return { text, digits: searchedDigits(text) };
}

/** Where a search looks: a name that contains the first, the last and "first last", folded, and the values of phone numbers. */
export interface SearchedText {
  readonly name: string;
  readonly phones: readonly string[];
}

/** Where a search looks in this contact. */
export function searchedText({
  firstName,
  lastName,
  phoneNumbers,
}: Pick<StoredContact, 'firstName' | 'lastName' | 'phoneNumbers'>): SearchedText {
  return {
    name: `${folded(firstName)} ${folded(lastName)}`,
    phones: phoneNumbers.map(({ value }) => value),
  };
}

/** Whether the name contains the text, or a phone number its digits. */
export function isFoundIn({ text, digits }: TextSearch, { name, phones }: SearchedText): boolean {
  return (
    name.includes(text) ||
    phones.some((value) =>
      digits.length === 0 ? value.includes(text) : digits.some((one) => digitsOf(value).includes(one)),
    )
  );
}

const searchPredicate =
  (search: TextSearch): Predicate =>
  (contact) =>
    isFoundIn(search, searchedText(contact));
