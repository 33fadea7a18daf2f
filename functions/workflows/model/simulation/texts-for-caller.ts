import type { Caller } from '../../../../shared/kernel/caller.ts';
import { findUsableTemplate } from '../../../../shared/messages/template.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { nodeTypeNamed } from '../definition/catalogue.ts';
import { readData } from '../definition/node-data.ts';
import { findNode, type Plan } from '../definition/plan.ts';
import type { SimulatedStep } from './simulated-run.ts';

/**
 * The steps without the texts of templates that the caller may not use: the owner of a workflow may use some that nobody else may read.
 * @param table caches what it has read: the steps have read most of it.
 */
export async function withholdTexts(
  caller: Pick<Caller, 'userId'>,
  table: TableReader,
  plan: Plan,
  steps: readonly SimulatedStep[],
): Promise<SimulatedStep[]> {
  return Promise.all(
    steps.map(async (step) => {
      const template = step.text === undefined ? undefined : templateIn(plan, step.nodeId);
      if (template === undefined || (await findUsableTemplate(table, caller, template)) !== undefined) {
        return step;
      }
      const { text: _, ...rest } = step;
      return rest;
    }),
  );
}

/** The id of the template that a node takes its text from. */
function templateIn(plan: Plan, nodeId: string): string | undefined {
  const node = findNode(plan, nodeId);
  const nodeType = node && nodeTypeNamed(node.type);
  const read = nodeType?.references && readData(nodeType.schema, node?.data);
  const references = read?.success ? (nodeType?.references?.(read.data) ?? []) : [];
  return references.find(({ kind }) => kind === 'template')?.id;
}
