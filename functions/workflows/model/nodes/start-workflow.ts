import * as z from 'zod/mini';
import { described } from '../../../../shared/kernel/descriptions.ts';
import { Id } from '../../../../shared/kernel/fields.ts';
import { knownState } from '../effects/known-contact.ts';
import { nodeType } from './node-type.ts';

const Data = described(z.object({ workflowId: Id }), {
  workflowId: 'An enabled workflow with a trigger for `manual.started`, which the owner of this one may see.',
});

export default nodeType<z.output<typeof Data>>({
  type: 'startWorkflow',
  title: 'Start another workflow',
  description:
    'Starts another workflow for the contact as `POST /api/workflows/{id}/run` does, and goes on at once. Skipped for the reason that the other workflow refuses the contact for, such as `reentry`. It fails for a workflow with more than 6 triggers for `manual.started`. The receipt has the `startedRunId` of the first run that started.',
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  references: ({ workflowId }) => [{ kind: 'workflow', id: workflowId, path: 'workflowId' }],
  decide({ workflowId }, { facts }) {
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'run-workflow',
        path: { id: workflowId },
        body: { contactId: knownState(facts).contact._id },
        thing: 'startedRunId',
      },
    };
  },
});
