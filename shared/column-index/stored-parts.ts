import { chunks } from '../kernel/chunks.ts';
import { forEachConcurrently } from '../kernel/for-each-concurrently.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import type { TableWriter } from '../table/table.ts';
import type { IndexedPipeline } from './load-stored.ts';
import { type Family, families } from './packed-block.ts';
import { type DiscardedPart, type StoredBlock, searchBlockKey, searchBlockRange } from './stored-index.ts';

/** Items deleted in one transaction: few enough for its limit of 4 MB. */
const actionsAtOnce = 8;

/** Transactions at the same time. */
const width = 4;

/** Where the families of these blocks are stored. */
export const storedParts = (blocks: readonly StoredBlock[]): DiscardedPart[] =>
  blocks.flatMap(({ stageId, parts }) => families.map((family) => ({ family, stageId, id: parts[family] })));

/** Reads the parts that interrupted compactions have written: all that these blocks do not name. */
export async function readPartsBeside(
  table: TableWriter,
  { _id, stages }: IndexedPipeline,
  blocks: readonly StoredBlock[],
): Promise<DiscardedPart[]> {
  const found: DiscardedPart[] = [];
  const named = new Set(storedParts(blocks).map(({ family, id }) => `${family} ${id}`));
  const ranges = stages.flatMap((stage) => families.map((family) => ({ family, stageId: stage._id })));
  for (const { family, stageId } of ranges) {
    for (const { key } of await table.list(searchBlockRange(_id, family, stageId))) {
      const id = key.sort.at(-1) ?? '';
      if (!named.has(`${family} ${id}`)) {
        found.push({ family, stageId, id });
      }
    }
  }
  return found;
}

/** Deletes families of blocks; families that are gone do no harm. */
export function deleteParts(
  table: TableWriter,
  { _id }: IndexedPipeline,
  parts: readonly DiscardedPart[],
): Promise<void> {
  const deletion = ({ family, stageId, id }: { family: Family; stageId: string; id: string }) =>
    table.delete(searchBlockKey(_id, family, stageId, id));
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
