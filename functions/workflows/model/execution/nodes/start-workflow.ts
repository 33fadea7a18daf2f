import { startWorkflow } from '../../definition/flow-nodes.ts';
import { executable } from '../executable.ts';
import { findGoneWorkflow, skippedFor } from '../gone.ts';
import { requireContact } from '../step-context.ts';

export default executable(startWorkflow, {
  read: ({ workflowId }, sources) => findGoneWorkflow(sources, workflowId),
  decide({ workflowId }, { context, extra: gone }) {
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'run-workflow',
        path: { id: workflowId },
        body: { contactId: requireContact(context).contact._id },
        resultId: 'startedRunId',
      },
    };
  },
});
