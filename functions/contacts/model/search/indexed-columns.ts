import type { BoardCounters } from '../../../../shared/contact-aggregate/counters.ts';
import { second } from '../../../../shared/kernel/time.ts';
import { unavailable } from '../../../../shared/kernel/transient-errors.ts';
import { pause } from '../../../../shared/table/backoff.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { BoardPlan, ColumnPlan } from '../board-plan.ts';
import type { CustomFieldTest } from '../custom-filters.ts';
import type { ColumnPage } from '../page-cache.ts';
import type { CardNames } from './cache/found-cards.ts';
import { type IndexCache, indexCache, keyOfIndex } from './cache/index-cache.ts';
import { IndexSources } from './cache/index-sources.ts';
import { searchQuery } from './index/query.ts';
import type { Matches } from './index/search-index.ts';
import { isIndexWorthIt } from './list-costs.ts';
import { contactsIn, type IndexedPipeline } from './loading/loaded-index.ts';
import { groupsFor } from './segments/segment.ts';
import { fewestStored } from './stored-index.ts';

/** A board with conditions. */
export interface FilteredBoard extends CardNames {
  readonly plan: BoardPlan;
  readonly customFields: readonly CustomFieldTest[];
}

/** Readings of cards of which some are not visible yet, or change at the moment. */
const maxReadings = 30;
const pauseForCards = 60;

/** Within this time of its making, a segment may be newer than what is read at half the price. */
const settling = 10 * second;

/** Pages of columns, as of one moment. */
export interface FoundColumns {
  /** By stage. */
  readonly pages: ReadonlyMap<string, ColumnPage>;
  /** Of the same moment. */
  readonly counters: BoardCounters;
}

export interface SearchOptions {
  /** Those of the pipeline, if they were read since the request. */
  readonly counters?: BoardCounters | undefined;
  /** Those of this process unless stated. */
  readonly indexes?: IndexCache;
}

/**
 * The pages of all columns of the contacts that match: exact in contacts, order and totals, as of a moment during the
 * request. Undefined if the lists of the board are the only way: while counters and lists do not agree because an import is under way.
 * @throws a 503 `Failure` when contacts change faster than they can be read.
 */
export async function indexedColumns(
  table: TableReader,
  board: FilteredBoard,
  now: Date,
  { counters, indexes = indexCache }: SearchOptions = {},
): Promise<FoundColumns | undefined> {
  const [{ pipeline }] = board.plan.columns as [ColumnPlan];
  return found(table, board, pipeline, { now, counters, indexes, mayList: true, mayWait: true });
}

/** The counters of a pipeline some of whose columns changed, and the read units that those take this time. */
export interface ChangedColumns {
  readonly counters: BoardCounters;
  readonly units: number;
}

/**
 * The same for columns of whole lists that changed since they were read last. Undefined as long as reading changed columns again costs
 * this process less than an index, which follows each change by itself.
 */
export async function followedColumns(
  table: TableReader,
  board: FilteredBoard,
  { counters, units }: ChangedColumns,
  now: Date,
): Promise<FoundColumns | undefined> {
  const [{ pipeline }] = board.plan.columns as [ColumnPlan];
  const key = keyOfIndex(table.organizationId, pipeline._id);
  const contacts = contactsIn(counters, pipeline);
  if (indexCache.get(key, now) === undefined && !isIndexWorthIt(key, { contacts, units })) {
    return undefined;
  }
  return found(table, board, pipeline, {
    now,
    counters,
    indexes: indexCache,
    mayList: contacts < fewestStored,
    mayWait: false,
  });
}

interface Finding extends Required<SearchOptions> {
  readonly now: Date;
  readonly mayList: boolean;
  readonly mayWait: boolean;
}

async function found(
  table: TableReader,
  board: FilteredBoard,
  pipeline: IndexedPipeline,
  { now, counters, indexes, mayList, mayWait }: Finding,
): Promise<FoundColumns | undefined> {
  const query = searchQuery(board.plan, board.customFields);
  const needed = groupsFor(query);
  const key = keyOfIndex(table.organizationId, pipeline._id);
  const earlier = indexes.earlierChanges(key, now);
  const sources = new IndexSources(table, pipeline, needed, { mayList, earlier });

  let cached = indexes.get(key, now);
  for (let reading = 0; reading < maxReadings; reading += 1) {
    cached ??= await sources.next(now);
    if (cached === undefined) {
      return undefined;
    }
    cached.addStages(pipeline);
    const since = reading === 0 ? counters : undefined;
    const following = (await cached.has(table, needed))
      ? await cached.follow(table, mayWait, since)
      : 'outdated';
    if (following === 'lost' && !mayWait) {
      return undefined;
    }
    if (following !== 'current') {
      indexes.drop(key, cached);
      sources.refuse(following);
      cached = undefined;
      continue;
    }
    const { builtAt, state } = cached;
    const { index, cards, revision } = state;
    const matches = board.plan.columns.map(({ stage, page }) =>
      index.find(stage._id, query, { first: (page - 1) * board.plan.size, size: board.plan.size }),
    );
    const missing = matches
      .flatMap(({ contactIds }) => contactIds)
      .filter((contactId) => cards.text(contactId, board) === undefined);
    if (missing.length > 0) {
      const isSettled = builtAt !== undefined && now.getTime() - builtAt > settling;
      await cards.read(table, index, missing, { isSettled, pipelineId: pipeline._id });
      // The cards may be newer than the index: nothing may have changed in between.
      if ((await cached.follow(table, mayWait)) !== 'current' || state.revision !== revision) {
        continue;
      }
    }
    const pages = pagesOf(board, matches, (contactId) => cards.text(contactId, board));
    if (pages !== undefined && cached.counters !== undefined) {
      indexes.put(key, cached);
      return { pages, counters: cached.counters };
    }
    await pause(pauseForCards);
  }
  throw unavailable(new Error('The cards of found contacts do not become visible'));
}

/** Undefined if a card is missing. */
function pagesOf(
  { plan }: FilteredBoard,
  matches: readonly Matches[],
  textOf: (contactId: string) => string | undefined,
): ReadonlyMap<string, ColumnPage> | undefined {
  const pages = new Map<string, ColumnPage>();
  for (const [index, { stage }] of plan.columns.entries()) {
    const { contactIds, total } = matches[index] as Matches;
    const texts = contactIds.map(textOf);
    if (texts.includes(undefined)) {
      return undefined;
    }
    pages.set(stage._id, { contacts: `[${texts.join()}]`, total });
  }
  return pages;
}
