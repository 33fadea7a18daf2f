import { second } from '../../../../shared/kernel/time.ts';
import { unavailable } from '../../../../shared/kernel/transient-errors.ts';
import { pause } from '../../../../shared/table/backoff.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { Board, ColumnPlan } from '../board-plan.ts';
import type { ColumnPage } from '../page-cache.ts';
import { indexCache, keyOfIndex } from './cache/index-cache.ts';
import { IndexSources } from './cache/index-sources.ts';
import { searchQuery } from './index/query.ts';
import type { Matches } from './index/search-index.ts';
import { groupsFor } from './segments/segment.ts';

/** Readings of cards of which some are not visible yet, or change at the moment. */
const maxReadings = 30;
const pauseForCards = 60;

/** Within this time of its making, a segment may be newer than what is read at half the price. */
const settling = 10 * second;

/**
 * The pages of all columns, by stage, of the contacts that match: exact in contacts, order and totals, as of a moment during the
 * request. Undefined if the lists of the board are the only way: while counters and lists do not agree because an import is under way.
 * @param indexes those of this process unless stated.
 * @throws a 503 `Failure` when contacts change faster than they can be read.
 */
export async function indexedColumns(
  table: TableReader,
  board: Board,
  now: Date,
  indexes = indexCache,
): Promise<ReadonlyMap<string, ColumnPage> | undefined> {
  const { plan, customFields } = board;
  const [{ pipeline }] = plan.columns as [ColumnPlan];
  const query = searchQuery(plan, customFields);
  const needed = groupsFor(query);
  const key = keyOfIndex(table.organizationId, pipeline._id);
  const sources = new IndexSources(table, pipeline, needed, indexes.earlierChanges(key, now));

  let cached = indexes.get(key, now);
  for (let reading = 0; reading < maxReadings; reading += 1) {
    cached ??= await sources.next(now);
    if (cached === undefined) {
      return undefined;
    }
    cached.addStages(pipeline);
    const following = (await cached.has(table, needed)) ? await cached.follow(table) : 'outdated';
    if (following !== 'current') {
      indexes.drop(key, cached);
      sources.refuse(following);
      cached = undefined;
      continue;
    }
    const { builtAt, state } = cached;
    const { index, cards, revision } = state;
    const matches = plan.columns.map(({ stage, page }) =>
      index.find(stage._id, query, { first: (page - 1) * plan.size, size: plan.size }),
    );
    const missing = matches
      .flatMap(({ contactIds }) => contactIds)
      .filter((contactId) => cards.text(contactId, board) === undefined);
    if (missing.length > 0) {
      const isSettled = builtAt !== undefined && now.getTime() - builtAt > settling;
      await cards.read(table, index, missing, { isSettled, pipelineId: pipeline._id });
      // The cards may be newer than the index: nothing may have changed in between.
      if ((await cached.follow(table)) !== 'current' || state.revision !== revision) {
        continue;
      }
    }
    const pages = pagesOf(board, matches, (contactId) => cards.text(contactId, board));
    if (pages !== undefined) {
      indexes.put(key, cached);
      return pages;
    }
    await pause(pauseForCards);
  }
  throw unavailable(new Error('The cards of found contacts do not become visible'));
}

/** Undefined if a card is missing. */
function pagesOf(
  { plan }: Board,
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
