import { compactPart, usualLimits } from '../../shared/column-index/compaction.ts';
import {
  type CompactionRequest,
  noteStaleAction,
  requestCompaction,
} from '../../shared/column-index/request-compactions.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { queueOperation } from '../../shared/kernel/trigger.ts';

/** One part with each message, however large the pipeline is: a failed part is tried again, and nothing else waits for it. */
export default queueOperation({
  queue: 'compactions',
  summary: 'Write the search indexes of large pipelines, part by part',
  uses: { organizations: 'write', platform: 'write', queue: 'compactions' },
  async run(message, { organizations, platform, queue, now, newId }) {
    const { begin, isStale, ...index } = message as CompactionRequest;
    const table = organizations(index.organizationId);
    const { pipelines } = (await readPipelines(table)).data;
    const pipeline = pipelines.find(({ _id }) => _id === index.pipelineId) ?? {
      _id: index.pipelineId,
      stages: [],
    };
    const outcome = await compactPart({ table, pipeline, now, newId, limits: usualLimits }, begin);
    if (typeof outcome === 'object') {
      await requestCompaction(queue, { ...index, ...outcome });
    } else if (outcome === 'stale' || (outcome === 'busy' && isStale)) {
      // What was under way may have begun before the contact left: the next run asks once more.
      await platform.commit([noteStaleAction(platform, index)]);
    }
    return { outcome: typeof outcome === 'object' ? 'more' : outcome };
  },
});
