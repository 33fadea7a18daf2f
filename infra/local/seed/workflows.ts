import createWorkflow from '../../../functions/workflows/create-workflow.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import type { Past } from './past.ts';
import { graphOf, samples } from './workflow-graphs.ts';

/** Creates workflows of several users, one a day from `from` on. */
export async function createWorkflows(past: Past, from: Date): Promise<void> {
  for (const [index, sample] of samples.entries()) {
    const { _id, owner, nodes, edges, more, ...fields } = sample;
    const at = after(from, (index + 1) * day);
    const body = { ...fields, ...graphOf({ nodes, edges }), ...more };
    await past.run(createWorkflow, { at, by: owner, body, ids: [undefined, _id] });
  }
}
