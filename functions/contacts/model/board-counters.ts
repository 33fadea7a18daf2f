import { BoardCounters, boardCounterRange } from '../../../shared/board/counters.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import type { View } from '../../../shared/views.ts';

/** The counters of a pipeline, strongly consistent. Those of the view of all prove the cards of every view. */
export async function readCounters(
  table: TableReader,
  pipelineId: string,
  view: View = ['all'],
): Promise<BoardCounters> {
  return new BoardCounters(await table.list(boardCounterRange(pipelineId, view)));
}
