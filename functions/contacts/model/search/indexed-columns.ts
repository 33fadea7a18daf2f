import { BoardCounters, boardCounterRange } from '../../../../shared/board/counters.ts';
import { remember } from '../../../../shared/kernel/remember.ts';
import { second } from '../../../../shared/kernel/time.ts';
import { unavailable } from '../../../../shared/kernel/transient-errors.ts';
import { pause } from '../../../../shared/table/backoff.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { readCounters } from '../board-counters.ts';
import type { BoardPlan, ColumnPlan } from '../board-plan.ts';
import type { CustomFieldTest } from '../custom-filters.ts';
import type { ColumnPage } from '../kept-pages.ts';
import type { CardNames } from './found-cards.ts';
import { KeptIndex } from './kept-index.ts';
import { type KeptIndexes, keptIndexes, keyOfIndex } from './kept-indexes.ts';
import { contactsIn, type IndexedPipeline, loadLists, loadStored, readManifest } from './load-index.ts';
import { searchQuery } from './query.ts';
import type { Matches } from './search-index.ts';
import { type Group, groupsFor } from './segment.ts';
import { fewestStored } from './stored-index.ts';

/** A board with conditions. */
export interface FilteredBoard extends CardNames {
  readonly plan: BoardPlan;
  readonly customFields: readonly CustomFieldTest[];
}

/** Loadings for one request: changes of all contacts at once, and compactions, may make another one necessary. */
const maxLoadings = 4;

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
  readonly indexes?: KeptIndexes;
}

/**
 * The pages of all columns of the contacts that match: exact in contacts, order and totals, as of a moment during the
 * request. Undefined if the lists of the board are the better way, or the only one: for somebody with few contacts, or while counters
 * and lists do not agree because an import is under way.
 * @throws a 503 `Failure` when contacts change faster than they can be read.
 */
export async function indexedColumns(
  table: TableReader,
  board: FilteredBoard,
  now: Date,
  { counters, indexes = keptIndexes }: SearchOptions = {},
): Promise<FoundColumns | undefined> {
  const [{ pipeline }] = board.plan.columns as [ColumnPlan];
  const key = keyOfIndex(table.organizationId, pipeline._id);
  if (indexes.get(key) === undefined && (await areListsCheaper(table, board.plan, pipeline, key))) {
    return undefined;
  }
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
  if (keptIndexes.get(key) === undefined) {
    const isStored = contacts >= fewestStored;
    const spent = (spentOnColumns.get(key) ?? 0) + units;
    const isWorthIt =
      contacts <= maxFollowed && spent > contacts * (isStored ? unitsOf.packed : unitsOf.listedConsistently);
    remember(spentOnColumns, key, isWorthIt ? 0 : spent, capacity);
    if (!isWorthIt) {
      return undefined;
    }
  }
  return found(table, board, pipeline, {
    now,
    counters,
    indexes: keptIndexes,
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
  const sources = new Sources(table, pipeline, needed, mayList);

  let kept = indexes.get(key);
  for (let reading = 0; reading < maxReadings; reading += 1) {
    kept ??= await sources.next();
    if (kept === undefined) {
      return undefined;
    }
    kept.addStages(pipeline);
    const since = reading === 0 ? counters : undefined;
    const following = (await kept.has(table, needed)) ? await kept.follow(table, mayWait, since) : 'outdated';
    if (following === 'lost' && !mayWait) {
      return undefined;
    }
    if (following !== 'current') {
      indexes.drop(key, kept);
      sources.refuse(following);
      kept = undefined;
      continue;
    }
    const { index, cards, revision, builtAt } = kept;
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
      if ((await kept.follow(table, mayWait)) !== 'current' || kept.revision !== revision) {
        continue;
      }
    }
    const pages = pagesOf(board, matches, (contactId) => cards.text(contactId, board));
    if (pages !== undefined && kept.counters !== undefined) {
      indexes.keep(key, kept);
      return { pages, counters: kept.counters };
    }
    await pause(pauseForCards);
  }
  throw unavailable(new Error('The cards of found contacts do not become visible'));
}

/** Where an index can be loaded from: stored segments first, the lists if those do not help. */
class Sources {
  readonly #table: TableReader;
  readonly #pipeline: IndexedPipeline;
  readonly #needed: readonly Group[];
  /** Whether all cards may be read, which takes seconds for a large pipeline. */
  readonly #mayList: boolean;
  #hasListed = false;
  #loadings = 0;
  #storedLoadings = 0;
  #listsOnly = false;

  constructor(table: TableReader, pipeline: IndexedPipeline, needed: readonly Group[], mayList: boolean) {
    this.#mayList = mayList;
    this.#table = table;
    this.#pipeline = pipeline;
    this.#needed = needed;
  }

  /** Undefined if nothing is left to try. */
  async next(): Promise<KeptIndex | undefined> {
    this.#loadings += 1;
    if (this.#loadings > maxLoadings) {
      return undefined;
    }
    const stored = this.#listsOnly
      ? undefined
      : await loadStored(this.#table, this.#pipeline._id, this.#needed);
    this.#storedLoadings += 1;
    // Lists that disagreed with the counters once do so while an import is under way.
    const mayList = this.#mayList && !this.#hasListed;
    this.#hasListed ||= stored === undefined;
    const loaded = stored ?? (mayList ? await loadLists(this.#table, this.#pipeline) : undefined);
    return loaded && new KeptIndex(this.#pipeline, loaded);
  }

  /** Says that an index could not be used. */
  refuse(following: 'outdated' | 'lost'): void {
    this.#listsOnly = following === 'lost' || this.#storedLoadings > 1;
  }
}

/** Read units: for a contact in a list, at half the price and in full, and for one in segments. */
const unitsOf = { listed: 0.055, listedConsistently: 0.11, packed: 0.004 };

/** Contacts of the largest pipeline whose index is loaded for boards of whole lists: it takes a fifth of a second. */
const maxFollowed = 150_000;

/** Read units that a warm process spent on columns that changed, since it had the pipeline's index last. */
const spentOnColumns = new Map<string, number>();

/** Read units that a warm process spent on lists of a pipeline since it had its index last, and of how many pipelines it knows. */
const spentOnLists = new Map<string, number>();
const capacity = 500;

/**
 * Whether to read the lists of the caller instead of loading the index: as long as all such readings together cost less than the index,
 * which pays from then on.
 */
async function areListsCheaper(
  table: TableReader,
  { views, columns }: BoardPlan,
  pipeline: IndexedPipeline,
  key: string,
): Promise<boolean> {
  if (views.some(([kind]) => kind === 'all')) {
    return false;
  }
  const [manifest, counters, ...own] = await Promise.all([
    readManifest(table, pipeline._id),
    readCounters(table, pipeline._id),
    ...views.map((view) => table.list(boardCounterRange(pipeline._id, view), { consistent: false })),
  ]);
  const listed = own
    .map((items) => new BoardCounters(items))
    .flatMap((one) => columns.map(({ stage }: ColumnPlan) => one.of(stage._id).total))
    .reduce((sum, total) => sum + total, 0);
  const units = manifest?.data.contents === undefined ? unitsOf.listedConsistently : unitsOf.packed;
  const spent = (spentOnLists.get(key) ?? 0) + listed * unitsOf.listed;
  const areCheaper = spent <= contactsIn(counters, pipeline) * units;
  remember(spentOnLists, key, areCheaper ? spent : 0, capacity);
  return areCheaper;
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
