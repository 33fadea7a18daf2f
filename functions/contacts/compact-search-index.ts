import { compactionRequestKey, staleIndexKey } from '../../shared/column-index/request-compactions.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { joined, keyParts } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';

export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: joined(compactionRequestKey('-').sort) },
  summary: 'Take deleted contacts out of search indexes',
  uses: { organizations: 'write', platform: 'write' },
  async run(changes, { organizations, platform, now, newId }) {
    // Loaded late, as in index-changes.ts.
    const { compact } = await import('../../shared/column-index/compaction.ts');
    for (const { partition } of changes) {
      const organizationId = organizationIn(partition);
      const pipelineId = keyParts(partition).at(-1);
      if (organizationId === undefined || pipelineId === undefined) {
        continue;
      }
      const table = organizations(organizationId);
      const { pipelines } = (await readPipelines(table)).data;
      const pipeline = pipelines.find(({ _id }) => _id === pipelineId);
      const isDone =
        pipeline === undefined ||
        (await compact(table, pipeline, { now, newId }).catch((error: unknown) => {
          if (error instanceof Failure) {
            return false;
          }
          throw error;
        }));
      if (!isDone) {
        // Another compaction is at work, which may have begun before the deletion, or the table is busy: the next run asks again.
        const stale = { organizationId, pipelineId };
        await platform.commit([platform.put(staleIndexKey(organizationId, pipelineId), stale)]);
      }
    }
  },
});
