import { indexCache } from '../column-index/cached-index.ts';
import type { FieldPredicate, SearchQuery } from '../column-index/query.ts';
import { type FoundPage, searchColumns } from '../column-index/search-columns.ts';
import { isFoundIn, textSearch } from '../column-index/text-search.ts';
import { isUnassigned } from '../contacts/contact.ts';
import type { View } from '../organizations/views.ts';
import type { TableReader } from '../table/table.ts';
import type { Board, BoardPlan, ColumnPlan } from './board-plan.ts';
import { toBoardResponse } from './board-response.ts';
import type { BoardContact } from './board-row.ts';
import type { CustomFieldTest } from './custom-filters.ts';
import { isTiedTo, toFieldPredicates, toTagTests } from './filters.ts';
import { isWithin } from './time-range.ts';

/**
 * The pages of all columns, by stage, of the contacts that match, from the index of the pipeline's contacts. Undefined if the lists of the
 * board are the only way.
 * @throws a 503 `Failure` when contacts change faster than they can be read.
 */
export async function searchPage(
  table: TableReader,
  { plan, customFields, stages, pipelinesVersion }: Board,
  now: Date,
  indexes = indexCache,
): Promise<ReadonlyMap<string, FoundPage> | undefined> {
  const [{ pipeline }] = plan.columns as [ColumnPlan];
  const search = {
    pipeline,
    query: searchQuery(plan, customFields),
    columns: plan.columns.map(({ stage, page }) => ({
      stageId: stage._id,
      first: (page - 1) * plan.size,
      size: plan.size,
    })),
    cards: {
      version: pipelinesVersion,
      textOf: (contact: BoardContact) => JSON.stringify(toBoardResponse(contact, stages)),
    },
  };
  return searchColumns(table, search, now, indexes);
}

/** The index has all contacts, so that being in one of the plan's lists is a condition too. */
export function searchQuery(
  { created, conditions, views }: Pick<BoardPlan, 'created' | 'conditions' | 'views'>,
  customFields: readonly CustomFieldTest[],
): SearchQuery {
  const search = conditions.search === undefined ? undefined : textSearch(conditions.search);
  const predicates = [...toFieldPredicates(conditions), ...viewPredicates(views)];
  const tests = customFields.map(remembering);
  const tags = toTagTests(conditions);
  return {
    selection: selectionOf({ created, conditions, views }, customFields),
    created,
    search,
    predicates,
    customFields: tests,
    tags,
    matches: (contact) =>
      (created === undefined || isWithin(contact.createdAt, created)) &&
      (search === undefined || isFoundIn(search, contact)) &&
      predicates.every((predicate) => predicate(contact)) &&
      tags.every((isRight) => contact.tags.some(isRight)) &&
      tests.every(
        ({ key, matches }) => Object.hasOwn(contact.customFields, key) && matches(contact.customFields[key]),
      ),
  };
}

/**
 * The stages that a board shows, as a text: boards with the same one find the same contacts in a stage as long as no card of it changes,
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

/** The test with its results: a regular expression takes long, and blocks repeat values. */
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
