import { isUnassigned } from '../../../shared/contacts/contact.ts';
import { digitsOf, looksLikeNumber } from '../../../shared/contacts/phone-numbers.ts';
import { folded } from '../../../shared/folded.ts';
import { lies } from '../../../shared/time-range.ts';
import { peopleOf } from '../../../shared/visibility.ts';
import type { Conditions } from './board-plan.ts';
import type { BoardContact } from './board-row.ts';

export type Predicate = (contact: BoardContact) => boolean;

const predicates: { [Name in keyof Conditions]-?: (wanted: NonNullable<Conditions[Name]>) => Predicate } = {
  tiedTo: (sets) => (contact) => {
    const people = peopleOf(contact);
    return sets.every((set) => people.some((userId) => set.has(userId)));
  },
  unassigned: () => isUnassigned,
  bulkImport:
    () =>
    ({ isBulkImport }) =>
      isBulkImport,
  source: (wanted) => (contact) => contact.source === wanted,
  lastDirection: (wanted) => (contact) => contact.lastMessageDirection === wanted,
  silentSince:
    (since) =>
    ({ lastMessageAt }) =>
      lastMessageAt === null || lastMessageAt < since,
  lastMessage:
    (range) =>
    ({ lastMessageAt }) =>
      lastMessageAt !== null && lies(lastMessageAt, range),
  assignees:
    (wanted) =>
    ({ conversationAssignees }) =>
      conversationAssignees.some((id) => wanted.includes(id)),
  search: searched,
};

/** The predicates of all conditions. */
export function predicatesOf(conditions: Conditions): Predicate[] {
  return Object.entries(conditions).map(([name, wanted]) =>
    predicates[name as keyof Conditions](wanted as never),
  );
}

function searched(wanted: string): Predicate {
  // Letters in the search exclude a phone number; "(555) 123" is one in any spelling.
  const digits = looksLikeNumber(wanted) ? digitsOf(wanted) : undefined;
  return ({ firstName, lastName, phoneNumbers }) => {
    const first = folded(firstName);
    const last = folded(lastName);
    return (
      first.includes(wanted) ||
      last.includes(wanted) ||
      `${first} ${last}`.includes(wanted) ||
      phoneNumbers.some(
        ({ value }) => value.includes(wanted) || (digits !== undefined && digitsOf(value).includes(digits)),
      )
    );
  };
}
