import { epochSeconds } from '../../../../shared/kernel/time.ts';
import { toDigest } from '../../../../shared/table/digest.ts';
import type { Key } from '../../../../shared/table/key.ts';
import type { Action, TableReader, TableWriter } from '../../../../shared/table/table.ts';
import type { RoundRobinMove } from './decision.ts';

/** The position of the round robin of a node. Deleted with the workflow, and a year after the last move. */
export const roundRobinKey = (workflowId: string, nodeDigest: string): Key<never> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['TURNS', nodeDigest],
});

/** How often runs have moved the round robin of the node. */
export async function readRoundRobin(
  table: TableReader,
  workflowId: string,
  nodeId: string,
): Promise<number> {
  const stored = await table.read(roundRobinKey(workflowId, toDigest(nodeId)));
  return Number(stored?.attributes?.turns ?? 0);
}

/**
 * The action that moves a round robin, for the transaction of the step that acts on it. It fails if another run has moved it, and that
 * step is then decided again: so each position is taken once, and none is lost.
 */
export function moveRoundRobinAction(
  table: TableWriter,
  { workflowId, nodeId }: { readonly workflowId: string; readonly nodeId: string },
  { before, after }: RoundRobinMove,
  expiresAt: Date,
): Action {
  return table.updateAction(roundRobinKey(workflowId, toDigest(nodeId)), {
    update: 'SET turns = :after, expiresAt = :expiresAt',
    when: before === 0 ? 'attribute_not_exists(turns)' : 'turns = :before',
    values: { after, expiresAt: epochSeconds(expiresAt), ...(before !== 0 && { before }) },
  });
}
