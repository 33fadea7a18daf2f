import type { MessageQueue } from '../kernel/message-queue.ts';
import type { Ports } from '../kernel/operation.ts';
import type { PlatformKey, PlatformRange } from '../table/key.ts';
import type { Begin } from './compaction.ts';

/** A message of the queue `compactions`: to do a part of what the index of a pipeline needs. */
export interface CompactionRequest {
  readonly organizationId: string;
  readonly pipelineId: string;
  /** Absent to go on with what is under way. */
  readonly begin?: Begin;
  /** Whether the index has contacts that left the pipeline: if somebody else is at work, it must be compacted once more. */
  readonly isStale?: true;
}

/** @throws when the queue does not take it. */
export async function requestCompaction(queue: MessageQueue, request: CompactionRequest): Promise<void> {
  await queue.send(JSON.stringify(request), { group: request.organizationId });
}

/**
 * A stored index keeps contacts that left its pipeline until the next compaction, which on a quiet day may never come. So each pipeline
 * with such contacts is noted here, and a run every half hour requests its compaction: many deletions cost one.
 */
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

/** Indexes of one run; the next run takes the others. */
const most = 200;

/** Requests the compaction of search indexes that contain deleted contacts. */
export async function requestCompactions({
  platform,
  queue,
}: Ports<{ platform: 'write'; queue: 'compactions' }>): Promise<{ requested: number }> {
  const stale = await platform.list(staleIndexRange(), { limit: most });
  for (const { key, data } of stale) {
    await requestCompaction(queue, { ...data, begin: 'compaction', isStale: true });
    await platform.commit([platform.delete(key)]);
  }
  return { requested: stale.length };
}
