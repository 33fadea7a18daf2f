import type { BoardCounters } from '../../../shared/contact-aggregate/counters.ts';
import { currentPipelines, knownPipelines } from '../../../shared/contacts/known-pipelines.ts';
import type { Pipelines } from '../../../shared/contacts/pipeline.ts';
import { stagesById } from '../../../shared/contacts/stages.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { JsonText } from '../../../shared/kernel/http/json-text.ts';
import type { View } from '../../../shared/organizations/views.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { readCounters } from './board-counters.ts';
import { type BoardViewer, planBoard, wholeView } from './board-plan.ts';
import type { BoardQuery } from './board-query.ts';
import { boardText } from './board-response.ts';
import { CachedColumns } from './cached-columns.ts';
import type { CustomFieldTest } from './custom-filters.ts';
import { filteredColumns } from './filtered-columns.ts';
import type { FilteredBoard } from './search/indexed-columns.ts';
import { wholeColumns } from './whole-columns.ts';

export interface BoardRequest {
  readonly query: BoardQuery;
  readonly viewer: BoardViewer;
  readonly customFields: readonly CustomFieldTest[];
  readonly now: Date;
}

/**
 * The board as it is now. Of a pipeline of contacts that the process remembers, the counters alone prove that neither the pipeline nor the
 * columns that it has cached have changed; for any other board it reads the pipelines, too.
 * @throws a 404 `Failure` for a pipeline that does not exist.
 */
export async function currentBoard(table: TableReader, request: BoardRequest): Promise<JsonText> {
  const known = knownPipelines(table);
  const board = known && ifKnown(() => boardOf(request, known));
  const counters = board && (await provingCounters(table, board, request.now));
  if (board && counters && counters.pipelinesVersion <= board.pipelinesVersion) {
    return textOf(table, board, counters, request.now);
  }
  // Beside the current pipelines: one round trip unless they changed.
  const early = counters === undefined && board ? readBoard(table, board, request.now) : undefined;
  early?.catch(() => undefined); // Used only if the remembered pipelines are current.
  const current = await currentPipelines(table);
  if (early !== undefined && known?.version === current.version) {
    return early;
  }
  const changed = boardOf(request, current);
  // Counters of before a later change may count contacts in a stage that is gone.
  const isOfSame =
    pipelineOf(changed) === (board && pipelineOf(board)) && counters?.pipelinesVersion === current.version;
  return readBoard(table, changed, request.now, isOfSame ? counters : undefined);
}

/** The counters that may prove the board; undefined for one that they cannot prove, or of which nothing is cached. */
async function provingCounters(
  table: TableReader,
  board: Board,
  now: Date,
): Promise<BoardCounters | undefined> {
  const [column] = board.plan.columns;
  // Cards of applications also show the stages of pipelines of contacts.
  const mayProve =
    column?.pipeline.type === 'Contact' &&
    (board.view !== undefined || new CachedColumns(table, board, now).areKnown);
  return mayProve ? readCounters(table, column.pipeline._id) : undefined;
}

/** Reads the board, and before that the counters of its pipeline where they are needed and not given. */
async function readBoard(
  table: TableReader,
  board: Board,
  now: Date,
  given?: BoardCounters,
): Promise<JsonText> {
  const { plan, view } = board;
  const [column] = plan.columns;
  if (column === undefined) {
    return boardText(plan, new Map());
  }
  const counters = given ?? (view && (await readCounters(table, column.pipeline._id)));
  return textOf(table, board, counters, now);
}

interface Board extends FilteredBoard {
  /** Of a board that shows all cards of one list. */
  readonly view: View | undefined;
}

function boardOf(
  { query, viewer, customFields, now }: BoardRequest,
  { data: { pipelines }, version }: Stored<Pipelines>,
): Board {
  const plan = planBoard(query, pipelines, viewer, now);
  const view = wholeView(plan, customFields);
  return { plan, view, customFields, stages: stagesById(pipelines), pipelinesVersion: version };
}

/** The board; that of whole lists needs the counters. */
async function textOf(
  table: TableReader,
  { view, ...board }: Board,
  counters: BoardCounters | undefined,
  now: Date,
): Promise<JsonText> {
  const pages =
    view === undefined || counters === undefined
      ? await filteredColumns(table, board, now, counters)
      : await wholeColumns(table, { ...board, view }, counters, now);
  return boardText(board.plan, pages);
}

const pipelineOf = ({ plan: { columns } }: Board) => columns[0]?.pipeline._id;

/** Undefined for a board of a pipeline that the process does not know yet. */
function ifKnown(board: () => Board): Board | undefined {
  try {
    return board();
  } catch (error) {
    if (error instanceof Failure) {
      return undefined;
    }
    throw error;
  }
}
