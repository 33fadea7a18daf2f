import type { Plan } from './plan.ts';
import { type Trigger as PlanTrigger, triggersOf } from './triggers.ts';

/** Trigger nodes of a workflow that start runs: their rows must fit into one transaction, and are read with every event of their topic. */
export const mostTriggers = 50;

/** Bytes of JSON that the filter of a trigger may have. */
export const filterLimit = 4 * 1024;

/** The triggers that start runs, in the order of the graph, and why others do not. */
export function startingTriggers(plan: Plan): {
  readonly starting: readonly PlanTrigger[];
  readonly others: readonly { readonly nodeId: string; readonly message: string }[];
} {
  const triggers = triggersOf(plan);
  const isLarge = ({ filter }: PlanTrigger) => Buffer.byteLength(JSON.stringify(filter)) > filterLimit;
  const fitting = triggers.filter((trigger) => !isLarge(trigger));
  return {
    starting: fitting.slice(0, mostTriggers),
    others: [
      ...triggers.filter(isLarge).map(({ nodeId }) => ({
        nodeId,
        message: `The filter of a trigger may have at most ${filterLimit / 1024} KB. This trigger starts no runs.`,
      })),
      ...fitting.slice(mostTriggers).map(({ nodeId }) => ({
        nodeId,
        message: `Only the first ${mostTriggers} triggers of a workflow start runs. Make another workflow for the others.`,
      })),
    ],
  };
}
