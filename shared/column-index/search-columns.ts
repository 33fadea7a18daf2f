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
import type { Matches } from './search-index.ts';

/** Readings of cards of which some are not visible yet, or change at the moment. */
const maxReadings = 30;
const pauseForCards = 60;

/** Within this time of its making, a block may be newer than what is read at half the price. */
const settling = 10 * second;

/** The columns that are searched, and the part of each that is wanted. */
export interface ColumnSearch {
  readonly pipeline: IndexedPipeline;
  readonly query: SearchQuery;
  readonly columns: readonly { readonly stageId: string; readonly first: number; readonly size: number }[];
  readonly cards: CardTexts;
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
  { pipeline, query, columns, cards: cardTexts }: ColumnSearch,
  now: Date,
  indexes = indexCache,
): Promise<ReadonlyMap<string, FoundPage> | undefined> {
  const searched = { table, pipeline, needed: familiesFor(query), now, indexes };
  return useIndex(searched, async (cached) => {
    const { builtAt, state } = cached;
    const { index, cards, revision } = state;
    const matches = columns.map(({ stageId, first, size }) => index.find(stageId, query, { first, size }));
    const missing = matches
      .flatMap(({ contactIds }) => contactIds)
      .filter((contactId) => cards.text(contactId, cardTexts) === undefined);
    if (missing.length > 0) {
      const isSettled = builtAt !== undefined && now.getTime() - builtAt > settling;
      await cards.read(table, index, missing, { isSettled, pipelineId: pipeline._id });
      // The cards may be newer than the index: nothing may have changed in between.
      if ((await cached.follow(table)) !== 'current' || state.revision !== revision) {
        return undefined;
      }
    }
    const pages = pagesOf(columns, matches, (contactId) => cards.text(contactId, cardTexts));
    await (pages === undefined && pause(pauseForCards));
    return pages;
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

/** Undefined if a card is missing. */
function pagesOf(
  columns: ColumnSearch['columns'],
  matches: readonly Matches[],
  textOf: (contactId: string) => string | undefined,
): ReadonlyMap<string, FoundPage> | undefined {
  const pages = new Map<string, FoundPage>();
  for (const [index, { stageId }] of columns.entries()) {
    const { contactIds, total } = matches[index] as Matches;
    const texts = contactIds.map(textOf);
    if (texts.includes(undefined)) {
      return undefined;
    }
    pages.set(stageId, { contacts: `[${texts.join()}]`, total });
  }
  return pages;
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
