import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { Id } from '../../../../../shared/kernel/schemas/fields.ts';
import { type Gone, goneWorkflow, skippedFor } from '../gone.ts';
import { knownState } from '../known-contact.ts';
import { nodeType } from './node-type.ts';

const Data = described(z.object({ workflowId: Id }), {
  workflowId: 'An enabled workflow with a trigger for `manual.started`, which the owner of this one may see.',
});

export default nodeType<z.output<typeof Data>, Gone>({
  type: 'startWorkflow',
  title: 'Start another workflow',
  description:
    'Starts another workflow for the contact as `POST /api/workflows/{id}/run` does, and continues at once. If none may start, it is skipped with the reason: `contact_not_visible`, `filter_not_met`, `loop_guard`, `owner_disabled`, `rate_of_contact` or `reentry`; `workflow_gone` if the owner of this one may see no such workflow. It fails for one that is disabled, for one with more than 6 such triggers, and for one whose owner has wider rights than the owner of this one. The workflow that it belongs to starts anew only with `reentry` `always`, up to 5 times in a row: an edge back to an earlier step repeats steps more often. The step has the `startedRunId` of the first run that started.',
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  references: ({ workflowId }) => [{ kind: 'workflow', id: workflowId, path: 'workflowId', starts: true }],
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
