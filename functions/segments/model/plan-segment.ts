import { type BoardPlan, type BoardViewer, planBoard } from '../../../shared/board/board-plan.ts';
import type { BoardQuery } from '../../../shared/board/board-query.ts';
import type { Pipeline } from '../../../shared/contacts/pipeline.ts';

/** What to read for the contacts of a segment; nothing if its pipeline is gone. */
export function planSegment(
  query: BoardQuery,
  pipelines: readonly Pipeline[],
  viewer: BoardViewer,
  now: Date,
): BoardPlan {
  const { pipelineId } = query;
  const isGone = pipelineId !== undefined && pipelines.every(({ _id }) => _id !== pipelineId);
  return isGone
    ? { ...planBoard({ ...query, pipelineId: undefined }, pipelines, viewer, now), columns: [] }
    : planBoard(query, pipelines, viewer, now);
}
