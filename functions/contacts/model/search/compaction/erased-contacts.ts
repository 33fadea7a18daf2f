import type { Key, PlatformKey, PlatformRange } from '../../../../../shared/table/key.ts';
import type { ChangeBlock } from '../stored-index.ts';

/**
 * A stored index keeps contacts that left its pipeline until the next compaction, which on a quiet day may never come. So each pipeline
 * with such contacts is noted here, a run every half hour requests its compaction, and a reader of the table's stream carries it out: it has
 * more time than the run, and many deletions cost one compaction.
 */

/** Whether a block says that a contact was deleted, or moved to another pipeline. */
export function isErasing({ changes, rows }: ChangeBlock): boolean {
  return changes.some(([, , , version]) => version === 0) || rows.some(([, , row]) => row === null);
}

/** A pipeline whose stored index may contain contacts that are gone. */
export const staleIndexKey = (
  organizationId: string,
  pipelineId: string,
): PlatformKey<{ organizationId: string; pipelineId: string }> => ({
  partition: ['STALE_INDEX'],
  sort: [organizationId, pipelineId],
});

export const staleIndexRange = (): PlatformRange<{ organizationId: string; pipelineId: string }> => ({
  partition: ['STALE_INDEX'],
});

/** Requests a compaction of a pipeline's index. */
export const compactionRequestKey = (pipelineId: string): Key<{ requestedAt: string }> => ({
  partition: ['SEARCH', pipelineId],
  sort: ['COMPACTION'],
});
