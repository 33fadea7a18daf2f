import { timestamp } from '../../shared/kernel/time.ts';
import { scheduleOperation } from '../../shared/kernel/trigger.ts';
import { compactionRequestKey, staleIndexKey, staleIndexRange } from './model/search/erased-contacts.ts';

/** Indexes of one run; the next run takes the others. */
const most = 200;

export default scheduleOperation({
  on: { everyMinutes: 30 },
  summary: 'Ask for the compaction of search indexes that contain deleted contacts',
  uses: { platform: 'write', organizations: 'write' },
  async run({ platform, organizations, now }) {
    const stale = await platform.list(staleIndexRange(), { limit: most });
    for (const { data } of stale) {
      const table = organizations(data.organizationId);
      await table.commit([
        table.put(compactionRequestKey(data.pipelineId), { requestedAt: timestamp(now) }),
        platform.delete(staleIndexKey(data.organizationId, data.pipelineId)),
      ]);
    }
    return { requested: stale.length };
  },
});
