import type { Plan } from '../graph/plan.ts';
import { type Trigger as PlanTrigger, triggersOf } from './triggers.ts';

/** Trigger nodes of a workflow that start runs: their rows must fit into one transaction, and are read with every event of their topic. */
export const maxTriggers = 50;

/** The triggers that start runs, in the order of the graph, and why others do not. */
export function startingTriggers(plan: Plan): {
  readonly starting: readonly PlanTrigger[];
  readonly others: readonly { readonly nodeId: string; readonly message: string }[];
} {
  const triggers = triggersOf(plan);
  return {
    starting: triggers.slice(0, maxTriggers),
    others: triggers.slice(maxTriggers).map(({ nodeId }) => ({
      nodeId,
      message: `Only the first ${maxTriggers} triggers of a workflow start runs. Make another workflow for the others.`,
    })),
  };
}
