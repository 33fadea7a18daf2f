import { second } from '../kernel/time.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import { pause } from '../table/backoff.ts';
import type { TableReader } from '../table/table.ts';
import { CachedIndex, indexCache, keyOfIndex } from './cached-index.ts';
import type { CardTexts } from './index-state.ts';
import type { ChangeNumbers } from './known-changes.ts';
import { loadLists } from './load-lists.ts';
import { type IndexedPipeline, loadStored } from './load-stored.ts';
import type { Family } from './packed-block.ts';
import { familiesFor, type SearchQuery } from './query.ts';
import type { Matches, SearchIndex } from './search-index.ts';

/** Readings of cards of which some are not visible yet, or change at the moment. */
const maxReadings = 30;
const pauseForCards = 60;

/** Within this time of its making, a block may be newer than what is read at half the price. */
const settling = 10 * second;

/** Contacts to be found in the index of a pipeline. */
export interface IndexSearch<Found> {
  readonly pipeline: IndexedPipeline;
  /** The families of columns that it needs. */
  readonly families: readonly Family[];
  readonly cards: CardTexts;
  find(index: SearchIndex): Found;
  /** The contacts of which the cards are wanted. */
  idsIn(found: Found): readonly string[];
}

/** The columns that are searched, and the part of each that is wanted. */
export interface ColumnSearch extends Pick<IndexSearch<unknown>, 'pipeline' | 'cards'> {
  readonly query: SearchQuery;
  readonly columns: readonly { readonly stageId: string; readonly first: number; readonly size: number }[];
}

/** The found part of a column. */
export interface FoundPage {
  /** The contacts as JSON text. */
  readonly contacts: string;
  readonly total: number;
}

/**
 * The pages of all columns, by stage, of the contacts that match: exact in contacts, order and totals, as of a moment during the
 * request. Undefined if the lists of the board are the only way: while counters and lists do not agree because an import is under way.
 * @param indexes those of this process unless stated.
 * @throws a 503 `Failure` when contacts change faster than they can be read.
 */
export async function searchColumns(
  table: TableReader,
  { query, columns, ...search }: ColumnSearch,
  now: Date,
  indexes = indexCache,
): Promise<ReadonlyMap<string, FoundPage> | undefined> {
  const result = await searchIndex(
    table,
    {
      ...search,
      families: familiesFor(query),
      find: (index) => columns.map(({ stageId, first, size }) => index.find(stageId, query, { first, size })),
      idsIn: (matches: readonly Matches[]) => matches.flatMap(({ contactIds }) => contactIds),
    },
    now,
    indexes,
  );
  return result && pagesOf(columns, result.found, result.texts);
}

/** What was found, with the cards as JSON text by the ids of their contacts. */
export interface IndexResult<Found> {
  readonly found: Found;
  readonly texts: ReadonlyMap<string, string>;
}

/** Finds contacts in the index of a pipeline, as `searchColumns` does. */
export async function searchIndex<Found>(
  table: TableReader,
  { pipeline, families: needed, find, idsIn, cards: cardTexts }: IndexSearch<Found>,
  now: Date,
  indexes = indexCache,
): Promise<IndexResult<Found> | undefined> {
  return useIndex({ table, pipeline, needed, now, indexes }, async (cached) => {
    const { builtAt, state } = cached;
    const { index, cards, revision } = state;
    const found = find(index);
    const ids = idsIn(found);
    const missing = ids.filter((contactId) => cards.text(contactId, cardTexts) === undefined);
    if (missing.length > 0) {
      const isSettled = builtAt !== undefined && now.getTime() - builtAt > settling;
      await cards.read(table, index, missing, { isSettled, pipelineId: pipeline._id });
      // The cards may be newer than the index: nothing may have changed in between.
      if ((await cached.follow(table)) !== 'current' || state.revision !== revision) {
        return undefined;
      }
    }
    const texts = ids.map((contactId) => [contactId, cards.text(contactId, cardTexts)] as const);
    if (texts.every((one): one is readonly [string, string] => one[1] !== undefined)) {
      return { found, texts: new Map(texts) };
    }
    await pause(pauseForCards);
    return undefined;
  });
}

/**
 * How many of the contacts of a pipeline that match have each tag, in several parts; exact as of a moment during the request. Undefined if
 * the lists of the board are the only way.
 */
export async function countTags(
  table: TableReader,
  pipeline: IndexedPipeline,
  query: SearchQuery,
  now: Date,
  indexes = indexCache,
): Promise<(readonly [tag: string, count: number])[] | undefined> {
  const needed = [...new Set<Family>([...familiesFor(query), 'tags'])];
  return useIndex({ table, pipeline, needed, now, indexes }, async ({ state: { index } }) =>
    pipeline.stages.flatMap(({ _id }) => [...index.tagCounts(_id, query)]),
  );
}

interface IndexUse {
  readonly table: TableReader;
  readonly pipeline: IndexedPipeline;
  readonly needed: readonly Family[];
  readonly now: Date;
  readonly indexes: typeof indexCache;
}

/**
 * Calls `use` with the index as it is now, which it stays until the next await of `use`, and again as long as that returns undefined.
 * Undefined if there is no index.
 * @throws a 503 `Failure` when contacts change faster than they can be read.
 */
async function useIndex<Result>(
  { table, pipeline, needed, now, indexes }: IndexUse,
  use: (cached: CachedIndex) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const key = keyOfIndex(table.organizationId, pipeline._id);
  const loader = indexLoader(table, pipeline, needed, indexes.earlierChanges(key, now));
  let cached = indexes.get(key, now);
  for (let reading = 0; reading < maxReadings; reading += 1) {
    cached ??= await loader.load(now);
    if (cached === undefined) {
      return undefined;
    }
    cached.addStages(pipeline);
    const following = (await cached.has(table, needed)) ? await cached.follow(table) : 'outdated';
    if (following !== 'current') {
      indexes.drop(key, cached);
      loader.refuse(following);
      cached = undefined;
      continue;
    }
    const result = await use(cached);
    if (result !== undefined) {
      indexes.put(key, cached);
      return result;
    }
  }
  throw unavailable(new Error('The cards of found contacts do not become visible'));
}

function pagesOf(
  columns: ColumnSearch['columns'],
  matches: readonly Matches[],
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, FoundPage> {
  return new Map(
    columns.map(({ stageId }, index) => {
      const { contactIds, total } = matches[index] as Matches;
      return [stageId, { contacts: `[${contactIds.map((id) => texts.get(id)).join()}]`, total }];
    }),
  );
}

/** Loadings for one request: changes of all contacts at once, and compactions, may make another one necessary. */
const maxLoadings = 4;

/** Loads the index of a pipeline, again if it could not be used: from stored blocks first, from the lists if those do not help. */
function indexLoader(
  table: TableReader,
  pipeline: IndexedPipeline,
  needed: readonly Family[],
  earlier: ChangeNumbers | undefined,
) {
  let [loadings, hasListed, listsOnly] = [0, false, false];
  return {
    /** Undefined if nothing is left to try. */
    async load(now: Date): Promise<CachedIndex | undefined> {
      loadings += 1;
      if (loadings > maxLoadings) {
        return undefined;
      }
      const stored = listsOnly ? undefined : await loadStored(table, pipeline._id, needed);
      // Lists that disagreed with the counters once do so while an import is under way.
      const mayList = !hasListed;
      hasListed ||= stored === undefined;
      const loaded = stored ?? (mayList ? await loadLists(table, pipeline, now, earlier) : undefined);
      return loaded && new CachedIndex(pipeline, loaded);
    },
    /** Says that an index could not be used. */
    refuse(following: 'outdated' | 'lost'): void {
      listsOnly = following === 'lost' || loadings > 1;
    },
  };
}
