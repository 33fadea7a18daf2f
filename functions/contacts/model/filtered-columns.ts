import type { BoardCounters } from '../../../shared/contact-aggregate/counters.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import { CachedColumns } from './cached-columns.ts';
import { listedColumns } from './listed-columns.ts';
import type { ColumnPage } from './page-cache.ts';
import { type FilteredBoard, indexedColumns } from './search/indexed-columns.ts';
import { searchedColumns } from './searched-columns.ts';

/**
 * The pages of all columns of a board with conditions, by stage, as of one moment. Cached pages are proven by `counters`, if those were
 * read. All others are found in the index, or in lists where those cost less. Lists that are read for boards of applications, and while
 * neither helps, are of the time that reading them takes.
 * @throws a 503 `Failure` when contacts change faster than they can be read.
 */
export async function filteredColumns(
  table: TableReader,
  board: FilteredBoard,
  now: Date,
  counters?: BoardCounters,
): Promise<ReadonlyMap<string, ColumnPage>> {
  const { plan, customFields, stages } = board;
  if (plan.columns[0]?.pipeline.type !== 'Contact') {
    return searchedColumns(table, plan, customFields, stages, { consistent: false });
  }
  const cached = new CachedColumns(table, board, now);
  const pages = counters === undefined ? new Map<string, ColumnPage>() : cached.proven(counters);
  const missing = { ...plan, columns: plan.columns.filter(({ stage }) => !pages.has(stage._id)) };
  if (missing.columns.length === 0) {
    return pages;
  }
  const wanted = { ...board, plan: missing };
  const found =
    (await listedColumns(table, wanted, now)) ?? (await indexedColumns(table, wanted, now, { counters }));
  if (found === undefined) {
    const searched = await searchedColumns(table, missing, customFields, stages, { consistent: false });
    return new Map([...pages, ...searched]);
  }
  // A contact that moved since `counters` were read would be in two columns, or in none.
  const haveChanged = [...pages.keys()].some(
    (stageId) => found.counters.of(stageId).version !== counters?.of(stageId).version,
  );
  if (haveChanged) {
    return filteredColumns(table, board, now);
  }
  for (const column of missing.columns) {
    const page = found.pages.get(column.stage._id);
    if (page !== undefined) {
      pages.set(column.stage._id, cached.put(column, found.counters, page));
    }
  }
  return pages;
}
