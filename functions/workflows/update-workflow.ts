import * as z from 'zod/mini';
import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { respondToChange } from './model/definition/check.ts';
import { compileDocument } from './model/definition/compile-plan.ts';
import { mergeDocument, sentMembers } from './model/definition/document.ts';
import { commitDocument, packedDocument } from './model/definition/documents.ts';
import { findWorkflow } from './model/definition/find-workflow.ts';
import { requireRightsOfOwner, whoHasRightsOfOwner } from './model/definition/rights-of-owner.ts';
import { changedFields, editedHeader, withPlan } from './model/definition/workflow.ts';
import {
  WorkflowChange,
  WorkflowChanged,
  workflowFieldDescriptions,
  workflowLimits,
} from './model/definition/workflow-schemas.ts';
import { workflowEvent, workflowWrites } from './model/definition/workflow-writes.ts';
import { preparePlanWrites } from './model/triggers/plan-writes.ts';

/** The members that a plan is made of. To send them confirms the workflow as it is. */
const graphMembers: ReadonlySet<string> = new Set(['nodes', 'edges', 'settings']);

export default operation({
  route: 'PUT /api/workflows/{id}',
  summary: 'Update a workflow',
  description: [
    'Each property you send replaces the stored one as a whole; the others stay. An extra property may be null. The whole workflow may be at most 4 MB. `message` says how many problems the graph has, and what the update confirms. A name that another workflow of the organization has is refused with 400, and enabling more than 50 for the same event with 409. An update that changes nothing emits no event and keeps `updatedAt`.',
    `${whoHasRightsOfOwner} That holds for nodes, edges, \`settings\`, \`enabled\` and \`running=move\`. [Workflows](#/Workflows) explains revisions and confirmations.`,
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({ running: z.optional(z.enum(['keep', 'move'])) }),
  body: WorkflowChange,
  bodyLimit: workflowLimits.bodyBytes,
  descriptions: {
    running:
      'What runs under way do: `keep` (default): they continue in the graph that they are in. `move`: each continues in the new graph from its next step, if all nodes that it is at are still there, with the same id and type; waits keep their time.',
    ...workflowFieldDescriptions,
  },
  output: WorkflowChanged,
  failures: ['NOT_FOUND', 'FORBIDDEN', 'NAME_TAKEN', 'CONFLICT'],
  example: {
    path: { id: demo.workflow },
    body: { description: 'Greets everyone who applies, once.', viewport: { x: -40, y: 0, zoom: 0.8 } },
  },
  uses: { table: 'write', objects: 'documents', trialPolicy: 'read' },
  async run({ path, query, body, sent }, { table, objects, trialPolicy, caller, now, newId }) {
    const members = sentMembers(sent);
    const eventId = newId();
    const movesRuns = query.running === 'move';
    const sources = { table, caller, trialPolicy };
    return table.optimistically(async () => {
      const found = await findWorkflow({ table, objects }, caller, path.id);
      const { header: before, rights } = found;
      const { document, changed } = mergeDocument(found.document, members);
      const compiled = compileDocument(document);
      const allChanged = [...changedFields(before.data, body), ...changed];
      const isChanged = allChanged.length > 0;
      const packed = changed.length > 0 ? packedDocument(document, newId()) : undefined;
      const draft = isChanged
        ? editedHeader(before.data, body, timestamp(now), packed?.location)
        : before.data;
      const { userId } = before.data;
      const changesGraph = changed.some((key) => graphMembers.has(key));
      const isToggled = draft.enabled !== before.data.enabled;
      if (changesGraph || movesRuns || isToggled) {
        requireRightsOfOwner(rights, userId);
      }
      const confirms = members.keys().some((key) => graphMembers.has(key)) && rights.covers(userId);
      const most = rights.boundOf(userId);
      const plan = await preparePlanWrites(
        { table, now, newId },
        { before: before.data, after: draft, compiled, confirms, most, movesRuns },
      );
      if (!isChanged && plan.actions.length === 0 && plan.most === before.data.most) {
        const unchanged = { header: before.data, document, compiled };
        return respondToChange(sources, unchanged, 'No changes');
      }
      const header = withPlan(draft, plan);
      const stored = packed && { before: before.data, after: packed };
      const ofPlan = { plan: plan.packed, announced: plan.announced };
      const commit = commitDocument({ table, objects, now }, path.id, { ...stored, ...ofPlan }, [
        ...workflowWrites(table, before, header),
        ...plan.actions,
        ...plan.gates,
        ...(isChanged
          ? [eventAction(table, workflowEvent('updated', header, allChanged), eventId, now)]
          : []),
      ]);
      const updated = { header, document, compiled, news: plan.news };
      return respondToChange(sources, updated, 'Workflow updated', commit);
    });
  },
});
