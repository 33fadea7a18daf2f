import type { Pipelines } from '../contacts/pipeline.ts';
import { stagesById } from '../contacts/stages.ts';
import type { JsonText } from '../kernel/http/json-text.ts';
import type { Stored, TableReader } from '../table/table.ts';
import { type Board, type BoardViewer, planBoard, wholeView } from './board-plan.ts';
import type { BoardQuery } from './board-query.ts';
import { boardText } from './board-response.ts';
import type { CustomFieldTest } from './custom-filters.ts';
import { loadListPage, readFilteredColumns } from './listed-columns.ts';
import type { ColumnPage } from './page-cache.ts';
import { searchPage } from './search-page.ts';

export interface BoardRequest {
  readonly query: BoardQuery;
  /** All pipelines of the organization. */
  readonly pipelines: Stored<Pipelines>;
  readonly viewer: BoardViewer;
  readonly customFields: readonly CustomFieldTest[];
  readonly now: Date;
}

/**
 * The board as it is now.
 * @throws a 404 `Failure` for a pipeline that does not exist.
 */
export async function readBoard(
  table: TableReader,
  { query, pipelines: { data, version }, viewer, customFields, now }: BoardRequest,
): Promise<JsonText> {
  const plan = planBoard(query, data.pipelines, viewer, now);
  const stages = stagesById(data.pipelines);
  const pages = await readColumns(table, { plan, customFields, stages, pipelinesVersion: version }, now);
  return boardText(plan, pages);
}

/**
 * The pages of all columns, by stage: without any condition from a list of the board, with conditions from the index of the pipeline's
 * contacts. Applications have no index, and nor has a pipeline while an import is under way.
 */
export async function readColumns(
  table: TableReader,
  board: Board,
  now: Date,
): Promise<ReadonlyMap<string, ColumnPage>> {
  const [column] = board.plan.columns;
  if (column === undefined) {
    return new Map();
  }
  const view = wholeView(board);
  if (view !== undefined) {
    return loadListPage(table, board, view, now);
  }
  const isOfContacts = column.pipeline.type === 'Contact';
  return (isOfContacts && (await searchPage(table, board, now))) || readFilteredColumns(table, board);
}
