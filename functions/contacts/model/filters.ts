import { isUnassigned, lastExchangeOf, type StoredContact } from '../../../shared/contacts/contact.ts';
import { nameKey, searchFolded } from '../../../shared/kernel/names/folded.ts';
import type { Involved } from '../../../shared/organizations/visibility.ts';
import type { Conditions } from './board-plan.ts';
import { digitsOf, searchedDigits } from './searched-digits.ts';
import { isWithin } from './time-range.ts';

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
  source:
    (wanted) =>
    ({ source }) =>
      source !== null && nameKey(source) === wanted,
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
  /** Around each blank of the text: how a name must end and begin, so that the last name followed by the first contains the text. */
  readonly turned: readonly TurnedName[];
}

interface TurnedName {
  readonly end: string;
  readonly start: string;
}

/** How to search for a folded text that is not empty. */
export function textSearch(text: string): TextSearch {
  return { text, digits: searchedDigits(text), turned: turnedNames(text) };
}

/** Blanks of a search that may part a last name from a first: nobody's last name has more words. */
const mostBlanks = 8;

function turnedNames(text: string): TurnedName[] {
  return Array.from(text.matchAll(/ /g).take(mostBlanks), ({ index }) => ({
    end: text.slice(0, index),
    start: text.slice(index + 1),
  }));
}

/**
 * Whether a name begins and ends like this, with a blank between. It may be any blank: the index does not know which one parts the last name
 * from the first.
 * @param texts has the name from `from` to `to`.
 */
export function isTurned({ start, end }: TurnedName, texts: string, from: number, to: number): boolean {
  const [startsTo, endsFrom] = [from + start.length, to - end.length];
  // Most names differ in the first letter, and slices are compared several times as fast as by `startsWith`.
  if (
    startsTo >= endsFrom ||
    texts.charCodeAt(from) !== start.charCodeAt(0) ||
    texts.slice(from, startsTo) !== start ||
    texts.slice(endsFrom, to) !== end
  ) {
    return false;
  }
  const blank = texts.indexOf(' ', startsTo);
  return blank !== -1 && blank < endsFrom;
}

/** Where a search looks: the first and the last name with a blank between, folded, and the values of phone numbers. */
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
    name: searchFolded(`${firstName} ${lastName}`),
    phones: phoneNumbers.map(({ value }) => value),
  };
}

/** Whether the name contains the text, in this order or with the last name first, or a phone number its digits. */
export function isFoundIn({ text, digits, turned }: TextSearch, { name, phones }: SearchedText): boolean {
  return (
    name.includes(text) ||
    turned.some((one) => isTurned(one, name, 0, name.length)) ||
    phones.some((value) =>
      digits.length === 0 ? value.includes(text) : digits.some((one) => digitsOf(value).includes(one)),
    )
  );
}
