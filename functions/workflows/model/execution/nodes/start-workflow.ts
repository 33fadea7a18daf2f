import { startWorkflow } from '../../definition/flow-nodes.ts';
import { executable } from '../executable.ts';
import { knownState } from '../facts.ts';
import { goneWorkflow, skippedFor } from '../gone.ts';

export default executable(startWorkflow, {
  read: ({ workflowId }, sources) => goneWorkflow(sources, workflowId),
  decide({ workflowId }, { facts, extra: gone }) {
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'run-workflow',
        path: { id: workflowId },
        body: { contactId: knownState(facts).contact._id },
        resultId: 'startedRunId',
      },
    };
  },
});
