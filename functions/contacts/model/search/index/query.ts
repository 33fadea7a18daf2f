import { isUnassigned } from '../../../../../shared/contacts/contact.ts';
import type { View } from '../../../../../shared/organizations/views.ts';
import type { BoardPlan } from '../../board-plan.ts';
import type { CustomFieldTest } from '../../custom-filters.ts';
import { type FieldPredicate, fieldPredicatesOf, isFoundIn, isTiedTo, textSearch } from '../../filters.ts';
import type { TimeRange } from '../../time-range.ts';
import type { IndexedContact } from '../indexed-contact.ts';
import type { SegmentQuery } from '../segments/segment.ts';

/** What the index looks for in the columns of a board. */
export interface SearchQuery extends SegmentQuery {
  /** Identifies it; undefined if it never comes again. */
  readonly selection: string | undefined;
  /** The same for a single contact. */
  matches(contact: IndexedContact): boolean;
}

/** The index has all contacts, so that being in one of the plan's lists is a condition too. */
export function searchQuery(
  { created, conditions, views }: Pick<BoardPlan, 'created' | 'conditions' | 'views'>,
  customFields: readonly CustomFieldTest[],
): SearchQuery {
  const search = conditions.search === undefined ? undefined : textSearch(conditions.search);
  const predicates = [...fieldPredicatesOf(conditions), ...viewPredicates(views)];
  const tests = customFields.map(remembering);
  return {
    selection: selectionOf({ created, conditions, views }, customFields),
    created,
    search,
    predicates,
    customFields: tests,
    matches: (contact) =>
      liesIn(contact.createdAt, created) &&
      (search === undefined || isFoundIn(search, contact)) &&
      predicates.every((predicate) => predicate(contact)) &&
      tests.every(
        ({ key, matches }) => Object.hasOwn(contact.customFields, key) && matches(contact.customFields[key]),
      ),
  };
}

/**
 * What a board shows of its stages, as a text: boards with the same one find the same contacts in a stage as long as no card of it changes,
 * whoever asks and however the request says it. Undefined for a board that also depends on the time.
 */
function selectionOf(
  { views, created, conditions }: Pick<BoardPlan, 'views' | 'created' | 'conditions'>,
  customFields: readonly CustomFieldTest[],
): string | undefined {
  if (conditions.silentSince !== undefined) {
    return undefined;
  }
  const custom = customFields.map(({ key, wanted }) => [key, wanted]);
  return JSON.stringify({ views, created, conditions, custom }, (_, value: unknown) =>
    value instanceof Set ? [...value].sort() : value,
  );
}

function viewPredicates(views: readonly View[]): FieldPredicate[] {
  if (views.some(([kind]) => kind === 'all')) {
    return [];
  }
  const users = new Set(views.flatMap(([, userId]) => userId ?? []));
  const showsUnassigned = views.some(([kind]) => kind === 'unassigned');
  return [(contact) => isTiedTo(users, contact) || (showsUnassigned && isUnassigned(contact))];
}

function liesIn(createdAt: string, created: TimeRange | undefined): boolean {
  const { from, to } = created ?? {};
  return (from === undefined || createdAt >= from) && (to === undefined || createdAt <= to);
}

/** The test with its results: a regular expression takes long, and segments repeat values. */
function remembering({ key, wanted, matches }: CustomFieldTest): CustomFieldTest {
  const known = new Map<unknown, boolean>();
  const knownByText = new Map<unknown, boolean>();
  return {
    key,
    wanted,
    matches(value) {
      const isObject = typeof value === 'object';
      const [results, name] = isObject ? [knownByText, JSON.stringify(value)] : [known, value];
      const result = results.get(name) ?? matches(value);
      results.set(name, result);
      return result;
    },
  };
}
