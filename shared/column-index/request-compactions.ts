import type { MessageQueue } from '../kernel/message-queue.ts';
import type { Ports } from '../kernel/operation.ts';
import type { PlatformKey, PlatformRange } from '../table/key.ts';
import { type Action, type TableWriter, VersionConflict } from '../table/table.ts';
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
export const staleIndexKey = (organizationId: string, pipelineId: string): PlatformKey<never> => ({
  partition: ['STALE_INDEX'],
  sort: [organizationId, pipelineId],
});

export const staleIndexRange = (): PlatformRange<never> => ({ partition: ['STALE_INDEX'] });

/** The action that notes it. It counts, so that a run sees whether the index was noted once more meanwhile. */
export const noteStaleAction = (
  platform: TableWriter<'platform'>,
  { organizationId, pipelineId }: Pick<CompactionRequest, 'organizationId' | 'pipelineId'>,
): Action =>
  platform.updateAction(staleIndexKey(organizationId, pipelineId), {
    update: 'ADD notes :one',
    values: { one: 1 },
  });

/** Indexes of one run; the next run takes the others. */
const most = 200;

/** Requests the compaction of search indexes that contain deleted contacts. */
export async function requestCompactions({
  platform,
  queue,
}: Ports<{ platform: 'write'; queue: 'compactions' }>): Promise<{ requested: number }> {
  const stale = await platform.list(staleIndexRange(), { limit: most });
  for (const { key, attributes } of stale) {
    const [organizationId = '', pipelineId = ''] = key.sort;
    await requestCompaction(queue, { organizationId, pipelineId, begin: 'compaction', isStale: true });
    // Noted once more meanwhile, it is left for the next run: the compaction may have begun before.
    const isSame = { when: 'notes = :notes', values: { notes: Number(attributes?.notes) } };
    await platform.commit([platform.delete(key, isSame)]).catch(ignoreConflict);
  }
  return { requested: stale.length };
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof VersionConflict)) {
    throw error;
  }
}
