import * as z from 'zod/mini';
import * as demo from '../../shared/demo-ids.ts';
import { yesOrNo } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { eventStep } from '../../shared/live/outbox.ts';
import { findWorkflow } from './model/find-workflow.ts';
import { edited } from './model/workflow.ts';
import { workflowEvent } from './model/workflow-events.ts';
import { toWorkflowResponse, WorkflowChanged, workflowChanged } from './model/workflow-response.ts';
import { workflowWrites } from './model/workflow-writes.ts';

export default operation({
  route: 'PATCH /api/workflows/{id}/toggle',
  summary: 'Enable or disable a workflow',
  description:
    'Without `enabled`, flips the current value; concurrent calls each flip it. Setting it to its current value changes nothing and emits no event.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: z.object({ enabled: z.optional(yesOrNo) }),
  descriptions: { enabled: 'The new value.' },
  output: WorkflowChanged,
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.workflow }, body: { enabled: false } },
  uses: { table: 'write', objects: 'storedDocuments' },
  async run({ path, body }, { table, objects, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const { header: before, document } = await findWorkflow({ table, objects }, caller, path.id);
      const { enabled = !before.data.enabled } = body;
      const state = enabled ? 'enabled' : 'disabled';
      if (enabled === before.data.enabled) {
        return workflowChanged(`The workflow is already ${state}`, toWorkflowResponse(before.data, document));
      }
      const header = edited(before.data, { enabled }, timestamp(now));
      await table.commit([
        ...workflowWrites(table, before, header),
        eventStep(table, workflowEvent('toggled', header, ['enabled']), eventId, now),
      ]);
      return workflowChanged(`Workflow ${state}`, toWorkflowResponse(header, document));
    });
  },
});
