import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { commitDocument } from './model/definition/documents.ts';
import { findHeader } from './model/definition/find-workflow.ts';
import { requireRightsOfOwner, whoHasRightsOfOwner } from './model/definition/rights-of-owner.ts';
import { workflowEvent, workflowWrites } from './model/definition/workflow-writes.ts';
import { closeForSteps } from './model/runs/run-gate.ts';
import { closeWhatIsOpen, deletedPlan } from './model/runs/runs-to-end.ts';

export default operation({
  route: 'DELETE /api/workflows/{id}',
  summary: 'Delete a workflow',
  description: [
    'Its name becomes available at once. Its runs end as cancelled, with the reason `workflow_deleted`, and stay readable through their contacts: from the response on none of them has any further effect, and their records follow shortly. Its statistics go with it, and so do the notifications about its failed runs.',
    whoHasRightsOfOwner,
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  example: { path: { id: demo.spareWorkflow } },
  uses: { table: 'write', objects: 'documents' },
  async run({ path }, { table, objects, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const { header, rights } = await findHeader(table, caller, path.id).catch(async (error: unknown) => {
        // Another request may have deleted it, and not been answered yet, or have failed after that.
        await (error instanceof Failure &&
          error.code === 'NOT_FOUND' &&
          closeWhatIsOpen({ table, now }, path.id));
        throw error;
      });
      const { plan, userId } = header.data;
      requireRightsOfOwner(rights, userId);
      const ending = plan && deletedPlan({ table, now }, path.id, plan);
      await commitDocument({ table, objects, now }, path.id, { before: header.data }, [
        ...workflowWrites(table, header, undefined),
        ...(ending?.actions ?? []),
        eventAction(table, workflowEvent('deleted', header.data), eventId, now),
      ]);
      if (ending !== undefined) {
        await closeForSteps(table, path.id, { ended: ending.state.ended, now });
      }
      return ok({ message: 'Workflow deleted' });
    });
  },
});
