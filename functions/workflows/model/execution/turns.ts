import { epochSeconds } from '../../../../shared/kernel/time.ts';
import { digestOf } from '../../../../shared/table/digest.ts';
import type { Key } from '../../../../shared/table/key.ts';
import type { Action, TableReader, TableWriter } from '../../../../shared/table/table.ts';
import type { Turn } from './decision.ts';

/** How many turns the runs of a workflow have taken at a node. Deleted with the workflow, and a year after the last turn. */
export const turnsKey = (workflowId: string, nodeDigest: string): Key<never> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['TURNS', nodeDigest],
});

/** Turns taken so far at the node. */
export async function turnsTaken(table: TableReader, workflowId: string, nodeId: string): Promise<number> {
  const stored = await table.read(turnsKey(workflowId, digestOf(nodeId)));
  return Number(stored?.attributes?.turns ?? 0);
}

/**
 * The action that takes a turn, for the transaction of the step that acts on it. It fails if another run has taken the turn, and that
 * step is then decided again: so each turn is taken once, and none is lost.
 */
export function takeTurn(
  table: TableWriter,
  { workflowId, nodeId }: { readonly workflowId: string; readonly nodeId: string },
  { before, after }: Turn,
  expiresAt: Date,
): Action {
  return table.updateAction(turnsKey(workflowId, digestOf(nodeId)), {
    update: 'SET turns = :after, expiresAt = :expiresAt',
    when: before === 0 ? 'attribute_not_exists(turns)' : 'turns = :before',
    values: { after, expiresAt: epochSeconds(expiresAt), ...(before !== 0 && { before }) },
  });
}
