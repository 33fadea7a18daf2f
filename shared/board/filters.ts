import type { FieldPredicate, TagTest } from '../column-index/query.ts';
import { contactLastExchange, isUnassigned } from '../contacts/contact.ts';
import { nameKey } from '../kernel/names/folded.ts';
import type { Involved } from '../organizations/visibility.ts';
import type { Conditions } from './board-plan.ts';
import { isWithin } from './time-range.ts';

type FieldConditions = Omit<Conditions, 'search' | 'tags' | 'tagsAll'>;

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
  lastExchange: (wanted) => (contact) => contactLastExchange(contact) === wanted,
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

/** The predicates of all conditions but the search and the tags. */
export function toFieldPredicates({
  search: _,
  tags: __,
  tagsAll: ___,
  ...conditions
}: Conditions): FieldPredicate[] {
  return Object.entries(conditions).map(([name, wanted]) =>
    predicates[name as keyof FieldConditions](wanted as never),
  );
}

/** The tests of tags: a contact must have a tag for each. */
export function toTagTests({ tags, tagsAll = new Set() }: Conditions): TagTest[] {
  const all = [...tagsAll].map(
    (wanted): TagTest =>
      (tag) =>
        nameKey(tag) === wanted,
  );
  return tags === undefined ? all : [(tag) => tags.has(nameKey(tag)), ...all];
}

/** Whether one of these users is among the contact's people. */
export function isTiedTo(users: ReadonlySet<string>, { createdBy, owner, assignees }: Involved): boolean {
  return (
    users.has(createdBy) ||
    (owner !== null && users.has(owner)) ||
    (assignees.length > 0 && assignees.some((userId) => users.has(userId)))
  );
}
