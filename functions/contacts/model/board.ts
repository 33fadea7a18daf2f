import { Failure } from '../../../shared/kernel/failure.ts';
import type { JsonText } from '../../../shared/kernel/http/json-text.ts';
import type { Pipelines } from '../../../shared/pipelines/pipeline.ts';
import { stagesById } from '../../../shared/pipelines/stages.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { readCounters } from './board-counters.ts';
import { type BoardAsker, type BoardPlan, planBoard, wholeView } from './board-plan.ts';
import type { BoardQuery } from './board-query.ts';
import { boardText } from './board-response.ts';
import type { CustomFieldTest } from './custom-filters.ts';
import { filteredColumns } from './filtered-columns.ts';
import { wholeColumns } from './whole-columns.ts';

export interface BoardRequest {
  readonly query: BoardQuery;
  readonly asker: BoardAsker;
  readonly customFields: readonly CustomFieldTest[];
  readonly now: Date;
}

/** Reads the board for these pipelines. @throws a 404 `Failure` for a pipeline that is not among them. */
export async function readBoard(
  table: TableReader,
  request: BoardRequest,
  { data: { pipelines }, version: pipelinesVersion }: Stored<Pipelines>,
): Promise<JsonText> {
  const { query, asker, customFields, now } = request;
  const plan = planBoard(query, pipelines, asker, now);
  const board = { plan, stages: stagesById(pipelines), pipelinesVersion };
  const view = wholeView(plan, customFields);
  const [column] = plan.columns;
  if (column === undefined) {
    return boardText(plan, new Map());
  }
  if (view === undefined) {
    return boardText(plan, await filteredColumns(table, { ...board, customFields }, now));
  }
  const counters = await readCounters(table, column.pipeline._id);
  return boardText(plan, await wholeColumns(table, { ...board, view }, counters, now));
}

/**
 * The whole board of a pipeline of contacts whose counters prove that it has not changed since the remembered version; undefined for
 * any other. It reads nothing but the counters, as long as this process keeps the columns.
 */
export async function provenBoard(
  table: TableReader,
  { query, asker, customFields, now }: BoardRequest,
  { data: { pipelines }, version: pipelinesVersion }: Stored<Pipelines>,
): Promise<JsonText | undefined> {
  const plan = planIfKnown(() => planBoard(query, pipelines, asker, now));
  const view = plan && wholeView(plan, customFields);
  const [column] = plan?.columns ?? [];
  // Cards of applications also show the stages of pipelines of contacts.
  if (plan === undefined || view === undefined || column?.pipeline.type !== 'Contact') {
    return undefined;
  }
  const counters = await readCounters(table, column.pipeline._id);
  if (counters.pipelinesVersion > pipelinesVersion) {
    return undefined;
  }
  const board = { plan, view, stages: stagesById(pipelines), pipelinesVersion };
  return boardText(plan, await wholeColumns(table, board, counters, now));
}

/** Undefined for a pipeline that the process does not know yet. */
function planIfKnown(plan: () => BoardPlan): BoardPlan | undefined {
  try {
    return plan();
  } catch (error) {
    if (error instanceof Failure) {
      return undefined;
    }
    throw error;
  }
}
