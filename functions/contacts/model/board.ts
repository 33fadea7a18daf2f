import { boardRange, counterShards } from '../../../shared/board/card.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import { activePipeline, type Pipeline, type Stage } from '../../../shared/pipelines/pipeline.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import type { BoardQuery } from './board-query.ts';
import { type BoardContact, contactInRow } from './board-row.ts';
import { type BoardAsker, boardScope } from './board-scope.ts';
import { bothOf, type Predicate, sourceFilter } from './filters.ts';
import { type Column, type ColumnQuery, searchColumn } from './search.ts';

export interface Board {
  /** In the order of the answer. */
  readonly columns: readonly { readonly stage: Stage; readonly column: Column }[];
}

/** The pipeline a board shows; undefined when the organization has no active one. */
export function boardPipeline(pipelines: readonly Pipeline[], query: BoardQuery): Pipeline | undefined {
  const { pipelineId, pipelineType } = query;
  if (pipelineId === undefined) {
    return activePipeline(pipelines, pipelineType);
  }
  const pipeline = pipelines.find(({ _id }) => _id === pipelineId);
  if (pipeline === undefined) {
    throw notFound('Pipeline');
  }
  return pipeline;
}

/** The stages asked for, in the order asked for. Source: decisions 6, "Names of the further filters". */
function boardStages({ stages: all }: Pipeline, query: BoardQuery): Stage[] {
  const { status, stageIdByName = {} } = query;
  const byId = new Map(all.map((stage) => [stage._id, stage]));
  const byName = new Map(all.map((stage) => [stage.name, stage]));
  const named = (name: string) =>
    (Object.hasOwn(stageIdByName, name) ? byId.get(stageIdByName[name] ?? '') : undefined) ??
    byName.get(name);
  const wanted = query.stages?.length
    ? [...new Set(query.stages.map(named))].filter((stage) => stage !== undefined)
    : all;
  if (!status) {
    return wanted;
  }
  const only = byId.get(status) ?? byName.get(status);
  return wanted.filter((stage) => stage === only);
}

/**
 * The board: all columns in one parallel round trip. A column of one view without filters costs the same however large the
 * organization is, since its counters and its first page are one query; everything else goes through search.
 */
export async function readBoard(
  table: TableReader,
  pipeline: Pipeline | undefined,
  query: BoardQuery,
  asker: BoardAsker,
  predicate: Predicate | undefined,
): Promise<Board> {
  if (pipeline === undefined) {
    return { columns: [] };
  }
  const created = [query.createdDateRange, query.dateRange].find((range) => range?.from ?? range?.to);
  const { views, residual } = boardScope(asker, query, pipeline.type);
  const source = pipeline.type === 'Contact' ? sourceFilter(query.source) : undefined;
  const matches = bothOf(residual, bothOf(source, predicate));
  const isWhole =
    matches === undefined && views.length === 1 && created?.from === undefined && created?.to === undefined;
  const columns = await Promise.all(
    boardStages(pipeline, query).map(async (stage) => {
      const columnQuery: ColumnQuery = {
        organizationId: table.organizationId,
        pipeline,
        stage,
        page: pageOf(query, stage),
        size: query.size,
        views,
        created,
        matches,
      };
      const column = await (isWhole ? wholeColumn(table, columnQuery) : searchColumn(table, columnQuery));
      return { stage, column };
    }),
  );
  return { columns };
}

function pageOf({ page = {} }: BoardQuery, { _id, name }: Stage): number {
  const own = (key: string) => (Object.hasOwn(page, key) ? page[key] : undefined);
  return own(_id) ?? own(name) ?? 1;
}

/** More rows than any column has; the database takes a limit of 32 bits. */
const rowLimit = 2 ** 31 - 1;

/** Counters sort behind the entries: one descending query answers the exact total and the newest contacts. */
async function wholeColumn(table: TableReader, query: ColumnQuery): Promise<Column> {
  const { stage, page, size, views } = query;
  const [view = ['all'] as const] = views;
  const first = (page - 1) * size;
  const contacts: BoardContact[] = [];
  let total = 0;
  let position = 0;
  const rows = table.rows(boardRange(stage._id, view), {
    descending: true,
    limit: Math.min(counterShards + first + size, rowLimit),
  });
  for await (const batch of rows) {
    for (const row of batch) {
      if (row.data === undefined) {
        total += row.n ?? 0;
        continue;
      }
      const contact = position >= first && contacts.length < size ? contactInRow(row, query) : undefined;
      if (contact !== undefined) {
        contacts.push(contact);
      }
      position += 1;
    }
    // The counters came first: a page beyond the end is known to be empty without reading up to it.
    if (first >= total) {
      break;
    }
  }
  return { contacts, total };
}
