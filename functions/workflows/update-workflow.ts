import * as demo from '../../shared/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { eventStep } from '../../shared/live/outbox.ts';
import { mergedDocument, sentMembers } from './model/document.ts';
import { commitDocument, packedDocument } from './model/documents.ts';
import { findWorkflow } from './model/find-workflow.ts';
import { changedFields, edited } from './model/workflow.ts';
import { workflowEvent } from './model/workflow-events.ts';
import { WorkflowChange, workflowFieldDescriptions, workflowLimits } from './model/workflow-fields.ts';
import { toWorkflowResponse, WorkflowChanged, workflowChanged } from './model/workflow-response.ts';
import { workflowWrites } from './model/workflow-writes.ts';

export default operation({
  route: 'PUT /api/workflows/{id}',
  summary: 'Update a workflow',
  description:
    'Each property you send replaces the stored one as a whole; the others stay. An extra property may be null. The whole workflow may be at most 4 MB. An update that changes nothing emits no event and keeps `updatedAt`. A name that another workflow of the organization has is refused with 400.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: WorkflowChange,
  bodyLimit: workflowLimits.bodyBytes,
  descriptions: workflowFieldDescriptions,
  output: WorkflowChanged,
  failures: ['NOT_FOUND', 'NAME_TAKEN'],
  example: {
    path: { id: demo.workflow },
    body: { description: 'Greets everybody who applies, once.', viewport: { x: -40, y: 0, zoom: 0.8 } },
  },
  uses: { table: 'write', objects: 'documents' },
  async run({ path, body, sent }, { table, objects, caller, now, newId }) {
    const members = sentMembers(sent);
    const eventId = newId();
    return table.optimistically(async () => {
      const before = await findWorkflow({ table, objects }, caller, path.id);
      const { document, changed } = mergedDocument(before.document, members);
      const allChanged = [...changedFields(before.header.data, body), ...changed];
      if (allChanged.length === 0) {
        const response = toWorkflowResponse(before.header.data, document);
        return workflowChanged('No changes', response);
      }
      const packed = changed.length > 0 ? packedDocument(document, newId()) : undefined;
      const header = edited(before.header.data, body, timestamp(now), packed?.place);
      const steps = [
        ...workflowWrites(table, before.header, header),
        eventStep(table, workflowEvent('updated', header, allChanged), eventId, now),
      ];
      await (packed === undefined
        ? table.commit(steps)
        : commitDocument(
            { table, objects, now },
            path.id,
            { before: before.header.data, after: packed },
            steps,
          ));
      return workflowChanged('Workflow updated', toWorkflowResponse(header, document));
    });
  },
});
