import type { ClockAndIds, Ports } from '../kernel/operation.ts';
import { timestamp } from '../kernel/time.ts';
import type { Key, PlatformKey, PlatformRange } from '../table/key.ts';
import type { ChangeBatch } from './stored-index.ts';

/** Indexes of one run; the next run takes the others. */
const most = 200;

/** Requests the compaction of search indexes that contain deleted contacts. */
export async function requestCompactions({
  platform,
  organizations,
  now,
}: Ports<{ platform: 'write'; organizations: 'write' }> & Pick<ClockAndIds, 'now'>): Promise<{
  requested: number;
}> {
  const stale = await platform.list(staleIndexRange(), { limit: most });
  for (const { data } of stale) {
    const table = organizations(data.organizationId);
    await table.commit([
      table.put(compactionRequestKey(data.pipelineId), { requestedAt: timestamp(now) }),
      platform.delete(staleIndexKey(data.organizationId, data.pipelineId)),
    ]);
  }
  return { requested: stale.length };
}

/**
 * A stored index keeps contacts that left its pipeline until the next compaction, which on a quiet day may never come. So each pipeline
 * with such contacts is noted here, a run every half hour requests its compaction, and a reader of the table's stream carries it out: it has
 * more time than the run, and many deletions cost one compaction.
 */

/** Whether a batch says that a contact was deleted, or moved to another pipeline. */
export function isErasing({ changes, rows }: ChangeBatch): boolean {
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
