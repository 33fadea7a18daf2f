import type { TableReader } from '../../../shared/table/table.ts';
import type { ColumnPage } from './kept-pages.ts';
import { type FilteredBoard, indexedColumns } from './search/indexed-columns.ts';
import { searchedColumns } from './searched-columns.ts';

/**
 * The pages of all columns of a board with conditions, by stage. Boards of applications are read from their lists, which are short.
 * @throws a 503 `Failure` when contacts change faster than they can be read.
 */
export async function filteredColumns(
  table: TableReader,
  board: FilteredBoard,
  now: Date,
): Promise<ReadonlyMap<string, ColumnPage>> {
  const { plan, customFields, stages } = board;
  const isOfContacts = plan.columns[0]?.pipeline.type === 'Contact';
  const indexed = isOfContacts ? await indexedColumns(table, board, now) : undefined;
  return indexed ?? searchedColumns(table, plan, customFields, stages);
}
