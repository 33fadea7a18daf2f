import { chunks } from '../../../../../shared/kernel/chunks.ts';
import { forEachConcurrently } from '../../../../../shared/kernel/for-each-concurrently.ts';
import { unavailable } from '../../../../../shared/kernel/transient-errors.ts';
import type { TableWriter } from '../../../../../shared/table/table.ts';
import type { IndexedPipeline } from '../loading/loaded-index.ts';
import { type Group, groups } from '../segments/packed-segment.ts';
import {
  type DiscardedPart,
  type StoredSegment,
  searchSegmentKey,
  searchSegmentRange,
} from '../stored-index.ts';

/** Items deleted in one transaction: few enough for its limit of 4 MB. */
const actionsAtOnce = 8;

/** Transactions at the same time. */
const width = 4;

/** Where the groups of these segments are stored. */
export const partsOf = (segments: readonly StoredSegment[]): DiscardedPart[] =>
  segments.flatMap(({ stageId, parts }) => groups.map((group) => ({ group, stageId, id: parts[group] })));

/** What interrupted compactions have written: all that these segments do not name. */
export async function partsBeside(
  table: TableWriter,
  { _id, stages }: IndexedPipeline,
  segments: readonly StoredSegment[],
): Promise<DiscardedPart[]> {
  const found: DiscardedPart[] = [];
  const named = new Set(partsOf(segments).map(({ group, id }) => `${group} ${id}`));
  const ranges = stages.flatMap((stage) => groups.map((group) => ({ group, stageId: stage._id })));
  for (const { group, stageId } of ranges) {
    for (const { key } of await table.list(searchSegmentRange(_id, group, stageId))) {
      const id = key.sort.at(-1) ?? '';
      if (!named.has(`${group} ${id}`)) {
        found.push({ group, stageId, id });
      }
    }
  }
  return found;
}

/** Deletes groups of segments; those that are gone do no harm. */
export function deleteParts(
  table: TableWriter,
  { _id }: IndexedPipeline,
  parts: readonly DiscardedPart[],
): Promise<void> {
  const deletion = ({ group, stageId, id }: { group: Group; stageId: string; id: string }) =>
    table.delete(searchSegmentKey(_id, group, stageId, id));
  return deleteInTransactions(table, parts.map(deletion));
}

/** @throws the first failure, or a 503 `Failure`; then some are deleted. */
export async function deleteInTransactions(
  table: TableWriter,
  actions: readonly ReturnType<TableWriter['delete']>[],
): Promise<void> {
  const [failure] = await forEachConcurrently(chunks(actions, actionsAtOnce), width, (some) =>
    table.commit(some),
  );
  if (failure !== undefined) {
    throw failure instanceof Error ? failure : unavailable(failure);
  }
}
