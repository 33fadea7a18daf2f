import { readPlan } from '../../functions/workflows/model/definition/plan-row.ts';
import { topics } from '../../functions/workflows/model/definition/topics.ts';
import {
  subscribersIn,
  type TriggerRow,
  triggerRange,
} from '../../functions/workflows/model/definition/triggers.ts';
import { type PlanState, workflowKey } from '../../functions/workflows/model/definition/workflow.ts';
import type { Product } from '../harness/product.ts';

/** A node of a graph; where it stands does not matter. */
export const node = (id: string, type: string, data: object = {}, x = 0) => ({
  ...{ id, type, position: { x, y: 0 }, data },
});

export const edge = (source: string, target: string, sourceHandle?: string) => ({
  ...{ id: `${source}-${target}-${sourceHandle}`, source, target, ...(sourceHandle && { sourceHandle }) },
});

/** A trigger, a wait of three weeks, and a note. */
export const waitingGraph = {
  nodes: [
    node('start', 'trigger', { event: 'manual.started' }),
    node('pause', 'delay', { value: 3, unit: 'weeks' }),
    node('note', 'addNote', { note: 'Waited' }),
  ],
  edges: [edge('start', 'pause'), edge('pause', 'note')],
};

/** The plans of an organization's workflows in the table. */
export function plansClient(product: Product, organizationId: string) {
  const { table } = product.tableOf(organizationId);
  const stateOf = async (workflowId: string): Promise<PlanState | undefined> =>
    (await table.read(workflowKey(workflowId)))?.data.plan;
  return {
    stateOf,
    revisionOf: async (workflowId: string) => (await stateOf(workflowId))?.revision,
    planOf: async (workflowId: string, revision: number) =>
      readPlan(
        { table, objects: await product.objects.of(organizationId, 'storedDocuments') },
        workflowId,
        revision,
      ),
    /** The triggers of a workflow, by topic. */
    async triggersOf(workflowId: string): Promise<Record<string, TriggerRow>> {
      const found: [string, TriggerRow][] = [];
      for (const topic of topics) {
        const { triggers } = subscribersIn(await table.list(triggerRange(topic)));
        const own = triggers.find((row) => row.workflowId === workflowId);
        found.push(...(own === undefined ? [] : ([[topic, own]] as [string, TriggerRow][])));
      }
      return Object.fromEntries(found);
    },
    async awaited(): Promise<string[]> {
      const asked = topics.map(async (topic) =>
        subscribersIn(await table.list(triggerRange(topic))).isAwaited ? [topic] : [],
      );
      return (await Promise.all(asked)).flat();
    },
  };
}
