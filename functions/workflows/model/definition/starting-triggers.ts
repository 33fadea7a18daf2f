import type { Plan } from './plan.ts';
import { type Trigger as PlanTrigger, triggersOf } from './triggers.ts';

/** Trigger nodes of a workflow that start runs: their rows must fit into one transaction, and are read with every event of their topic. */
export const maxTriggers = 50;

/** Bytes of JSON that the filters of a workflow for one topic may have together: each event of the topic is compared with all of them. */
export const filtersLimit = 8 * 1024;

/** The triggers that start runs, in the order of the graph, and why others do not. */
export function startingTriggers(plan: Plan): {
  readonly starting: readonly PlanTrigger[];
  readonly others: readonly { readonly nodeId: string; readonly message: string }[];
} {
  const starting: PlanTrigger[] = [];
  const others: { nodeId: string; message: string }[] = [];
  const sizes = new Map<string, number>();
  for (const trigger of triggersOf(plan)) {
    const { nodeId, topic, filter } = trigger;
    const size = (sizes.get(topic) ?? 0) + Buffer.byteLength(JSON.stringify(filter));
    if (starting.length === maxTriggers) {
      others.push({
        nodeId,
        message: `Only the first ${maxTriggers} triggers of a workflow start runs. ${split}`,
      });
    } else if (size > filtersLimit) {
      others.push({ nodeId, message: `${tooLarge(topic)} ${split}` });
    } else {
      sizes.set(topic, size);
      starting.push(trigger);
    }
  }
  return { starting, others };
}

const tooLarge = (topic: string) =>
  `The trigger starts no runs: the filters of a workflow for ${topic} may have ${filtersLimit / 1024} KB together, as JSON.`;

const split = 'Make another workflow for the others.';
