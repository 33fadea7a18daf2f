import * as z from 'zod/mini';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../../../shared/kernel/schemas/fields.ts';
import { type NodeStatistics, nodePart } from '../../../../shared/workflows/run-statistics.ts';

const counts = z.record(anyString, z.int());

const NodeStatisticsResponse = described(
  z.object({ nodeId: anyString, passed: z.int(), waiting: z.int(), skipped: counts, failed: z.int() }),
  {
    nodeId: 'The node.',
    passed: 'How often a run passed it.',
    waiting: 'How many runs wait there now; one with several branches may count more than once.',
    skipped: 'How often it was skipped, by reason.',
    failed: 'How often it failed.',
  },
);

const RefusalResponse = described(
  z.object({
    at: dateTime,
    reason: anyString,
    contactId: z.optional(anyString),
    nodeId: anyString,
    chain: z.array(anyString),
  }),
  {
    at: 'When the run would have started.',
    reason: 'Why it did not.',
    contactId: 'The contact it would have been for; absent for one that you may not see.',
    nodeId: 'The trigger it would have started at.',
    chain: 'The workflows of the runs that led to it, the first one first; empty if no run did.',
  },
);

export const StatisticsResponse = described(
  z.object({
    nodes: z.array(NodeStatisticsResponse),
    refused: counts,
    lastRefusals: z.array(RefusalResponse),
  }),
  {
    nodes: 'By node.',
    refused:
      'How many runs did not start, by reason: `loop_guard` (a chain of more than 5 runs led to it, or one of them was of this workflow and `reentry` is not `always`), `rate_of_contact` (20 have started for the contact within an hour), `reentry` (by that setting: the contact is in the workflow, or has been), `contact_not_visible` (to the owner of the workflow), `owner_disabled`.',
    lastRefusals: 'The last hundred of these, newest first; they are kept for 30 days.',
  },
);

/** The counters of these nodes, and after them of others that runs have reached. */
export function statisticsByNode(
  nodeIds: readonly string[],
  statistics: ReadonlyMap<string, NodeStatistics>,
): z.input<typeof NodeStatisticsResponse>[] {
  const ids = [...new Set(nodeIds)];
  const known = new Set(ids.map(nodePart));
  // Only the digest of an odd id that is no longer in the graph is known.
  const former = [...statistics.keys()].filter((part) => !known.has(part) && nodePart(part) === part).sort();
  return [...ids, ...former].map((nodeId) => {
    const { passed = 0, waiting = 0, skipped = {}, failed = 0 } = statistics.get(nodePart(nodeId)) ?? {};
    return { nodeId, passed, waiting, skipped, failed };
  });
}
