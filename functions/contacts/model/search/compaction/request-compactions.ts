import type { ClockAndIds, Ports } from '../../../../../shared/kernel/operation.ts';
import { timestamp } from '../../../../../shared/kernel/time.ts';
import { compactionRequestKey, staleIndexKey, staleIndexRange } from './erased-contacts.ts';

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
