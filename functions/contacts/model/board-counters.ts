import { BoardCounters, boardCounterRange } from '../../../shared/contact-aggregate/counters.ts';
import type { View } from '../../../shared/organizations/views.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** The counters of a pipeline, strongly consistent. Those of the view of all prove the cards of every view. */
export async function readCounters(
  table: TableReader,
  pipelineId: string,
  view: View = ['all'],
): Promise<BoardCounters> {
  return new BoardCounters(await table.list(boardCounterRange(pipelineId, view)));
}
