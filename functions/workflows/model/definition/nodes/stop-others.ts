import * as z from 'zod/mini';
import { given } from '../../../../../shared/kernel/given.ts';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { Id } from '../../../../../shared/kernel/schemas/fields.ts';
import { maxWorkflows } from '../chosen-workflows.ts';
import { knownState } from '../known-contact.ts';
import { nodeType } from './node-type.ts';

const Data = described(z.object({ workflowIds: z.optional(z.array(Id).check(z.maxLength(maxWorkflows))) }), {
  workflowIds: 'Only runs of these workflows, at most 50; by default, of all workflows.',
});

export default nodeType<z.output<typeof Data>>({
  type: 'stopOthers',
  title: 'Stop other runs',
  description:
    'Ends the other runs of the contact, as `POST /api/contacts/{id}/workflow-runs/cancel` does: they become `cancelled` with the reason `stopped_by_workflow`, soon after the step. Runs of workflows whose owners have wider rights than the owner of this one go on. Runs that start later are not affected.',
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  references: ({ workflowIds = [] }) =>
    workflowIds.map((id, index) => ({ kind: 'workflow', id, path: `workflowIds[${index}]` }) as const),
  decide({ workflowIds }, { facts }) {
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'cancel-runs-of-contact',
        path: { id: knownState(facts).contact._id },
        body: given({ workflowIds }),
      },
    };
  },
});
