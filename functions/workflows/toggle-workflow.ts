import * as z from 'zod/mini';
import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { anyBoolean } from '../../shared/kernel/schemas/fields.ts';
import { QueryFlag } from '../../shared/kernel/schemas/paging.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { respondToChange } from './model/definition/check.ts';
import { compileDocument } from './model/definition/compile-plan.ts';
import { commitDocument } from './model/definition/documents.ts';
import { findWorkflow } from './model/definition/find-workflow.ts';
import { requireRightsOfOwner, whoHasRightsOfOwner } from './model/definition/rights-of-owner.ts';
import { editedHeader, withPlan } from './model/definition/workflow.ts';
import { WorkflowChanged } from './model/definition/workflow-schemas.ts';
import { workflowEvent, workflowWrites } from './model/definition/workflow-writes.ts';
import { closeForSteps } from './model/runs/run-gate.ts';
import { closeWhatIsOpen, endRuns, mayHaveRuns } from './model/runs/runs-to-end.ts';
import { preparePlanWrites } from './model/triggers/plan-writes.ts';

export default operation({
  route: 'PATCH /api/workflows/{id}/toggle',
  summary: 'Enable or disable a workflow',
  description: [
    'Without `enabled`, flips the current value; concurrent calls each flip it. Setting it to its current value changes nothing and emits no event. Enabling confirms the texts of templates and the rights of the owner as they are now. `message` says how many problems the graph has, and what differs from before. Enabling more than 50 for the same event gets 409.',
    'A disabled workflow starts no runs; those under way continue unless `cancelRuns` is true. From the response on, no run that is cancelled has any further effect; their records follow shortly.',
    whoHasRightsOfOwner,
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({ cancelRuns: z.optional(QueryFlag) }),
  body: z.object({ enabled: z.optional(anyBoolean) }),
  descriptions: {
    cancelRuns:
      '`true`: all runs of the workflow end as cancelled, with the reason `workflow_disabled`. Only with `enabled` false; also for a workflow that is disabled already.',
    enabled: 'The new value.',
  },
  output: WorkflowChanged,
  failures: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { path: { id: demo.workflow }, body: { enabled: false } },
  uses: { table: 'write', objects: 'documents', trialPolicy: 'read' },
  async run({ path, query, body }, { table, objects, trialPolicy, caller, now, newId }) {
    const cancelsRuns = query.cancelRuns === true;
    if (cancelsRuns && body.enabled !== false) {
      throw new Failure('INVALID', 'cancelRuns may be true only if enabled is false');
    }
    const eventId = newId();
    const sources = { table, caller, trialPolicy };
    return table.optimistically(async () => {
      const found = await findWorkflow({ table, objects }, caller, path.id);
      const { header: before, document, rights } = found;
      const compiled = compileDocument(document);
      const { enabled = !before.data.enabled } = body;
      const state = enabled ? 'enabled' : 'disabled';
      const isChanged = enabled !== before.data.enabled;
      if (isChanged || cancelsRuns) {
        requireRightsOfOwner(rights, before.data.userId);
      }
      const draft = isChanged ? editedHeader(before.data, { enabled }, timestamp(now)) : before.data;
      const plan = await preparePlanWrites(
        { table, now, newId },
        {
          ...{ before: before.data, after: draft, compiled, confirms: false, movesRuns: false },
          most: rights.boundOf(before.data.userId),
        },
      );
      const ending =
        cancelsRuns && mayHaveRuns(plan.state)
          ? endRuns({ table, now }, path.id, plan.state, 'workflow_disabled')
          : undefined;
      if (!isChanged && ending === undefined) {
        await (cancelsRuns && closeWhatIsOpen({ table, now }, path.id));
        const unchanged = { header: before.data, document, compiled };
        return respondToChange(sources, unchanged, `The workflow is already ${state}`);
      }
      const header = withPlan(draft, { ...plan, ...ending });
      const ofPlan = { plan: plan.packed, announced: plan.announced };
      const commit = commitDocument({ table, objects, now }, path.id, ofPlan, [
        ...workflowWrites(table, before, header),
        ...plan.actions,
        ...(ending?.actions ?? plan.gates),
        ...(isChanged
          ? [eventAction(table, workflowEvent('toggled', header, ['enabled']), eventId, now)]
          : []),
      ]);
      const close = async () => {
        await commit;
        await (ending === undefined
          ? cancelsRuns && closeWhatIsOpen({ table, now }, path.id)
          : closeForSteps(table, path.id, { ended: ending.state.ended, now }));
      };
      const toggled = { header, document, compiled, news: plan.news };
      return respondToChange(sources, toggled, `Workflow ${state}`, close());
    });
  },
});
