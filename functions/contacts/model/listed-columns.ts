import type { TableReader } from '../../../shared/table/table.ts';
import { readCounters } from './board-counters.ts';
import type { ColumnPlan } from './board-plan.ts';
import { indexCache, keyOfIndex } from './search/cache/index-cache.ts';
import type { FilteredBoard, FoundColumns } from './search/indexed-columns.ts';
import { cheaperLists } from './search/list-costs.ts';
import { searchedColumns } from './searched-columns.ts';

/** Readings of lists that change meanwhile: from then on the index is the better way. */
const maxReadings = 3;

/**
 * The pages of all columns of contacts from the lists of the board, for somebody with few contacts. They are read between two readings of
 * the counters that agree: several lists that are read one after the other would miss a contact that goes from one to another. Undefined
 * if the index costs less, or if the lists change all the time.
 */
export async function listedColumns(
  table: TableReader,
  { plan, customFields, stages }: FilteredBoard,
  now: Date,
): Promise<FoundColumns | undefined> {
  const [{ pipeline }] = plan.columns as [ColumnPlan];
  const key = keyOfIndex(table.organizationId, pipeline._id);
  const lists =
    indexCache.get(key, now) === undefined ? await cheaperLists(table, plan, pipeline, key) : undefined;
  let before = lists?.counters;
  for (let readings = 1; before !== undefined; readings += 1) {
    const known = before;
    const pages = await searchedColumns(table, plan, customFields, stages, { consistent: true });
    const counters = await readCounters(table, pipeline._id);
    if (plan.columns.every(({ stage: { _id } }) => counters.of(_id).version === known.of(_id).version)) {
      return { pages, counters };
    }
    before = readings < maxReadings && lists?.mayReadAgain() ? counters : undefined;
  }
  return undefined;
}
