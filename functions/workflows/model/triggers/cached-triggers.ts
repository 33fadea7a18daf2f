import { remember } from '../../../../shared/kernel/remember.ts';
import type { Topic } from '../definition/topics.ts';
import type { TriggerRow } from '../definition/trigger-rows.ts';

/**
 * The rows that a process caches, by organization, topic, workflow, revision and nodes; those whose filters take a lot of memory are apart.
 * All rows are read with each batch of events, because there may be new ones, but preparing the values of their filters for comparison
 * takes a hundred times as long as reading them.
 */
const cached = { small: new Map<string, TriggerRow>(), large: new Map<string, TriggerRow>() };
const capacity = { small: 500, large: 100 } as const;

/** Bytes of JSON up to which triggers count as small. */
const smallWeight = 512;

/** The row, if possible from the cache. Nodes are in its key: which triggers count depends on their order, not on the revision alone. */
export function cachedTriggers(organizationId: string, topic: Topic, row: TriggerRow): TriggerRow {
  const nodeIds = row.triggers.map(({ nodeId }) => nodeId);
  const name = JSON.stringify([organizationId, topic, row.workflowId, row.revision, nodeIds]);
  const known = cached.small.get(name) ?? cached.large.get(name);
  if (known !== undefined) {
    return known;
  }
  const size = JSON.stringify(row.triggers).length <= smallWeight ? 'small' : 'large';
  remember(cached[size], name, row, capacity[size]);
  return row;
}
