import * as z from 'zod/mini';
import { findContact } from '../../shared/contacts/find-contact.ts';
import * as demo from '../../shared/demo-ids.ts';
import { forEachOrThrow } from '../../shared/kernel/for-each-concurrently.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString, Id } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { changeRun } from './model/changing/change-run.ts';
import { activeRuns, endOthersAction } from './model/changing/others-to-end.ts';
import { maxWorkflows } from './model/effects/workflow-fields.ts';
import { endedRun } from './model/engine/advanced.ts';
import { isOver } from './model/engine/lifecycle.ts';
import type { Run } from './model/runs/run.ts';

/** Runs that are cancelled at the same time. */
const width = 10;

export default operation({
  route: 'POST /api/contacts/{id}/workflow-runs/cancel',
  summary: 'Cancel all runs of workflows for a contact',
  description:
    'Ends all runs that are running or waiting, or only those of some workflows, whether or not you may see these workflows. What the runs have done stays done. If there are none, the list is empty. Emits `workflow_run_updated` for each.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  asStep: true,
  body: z.object({ workflowIds: z.optional(z.array(Id).check(z.maxLength(maxWorkflows))) }),
  descriptions: {
    workflowIds: `Only runs of these workflows, at most ${maxWorkflows}; by default, of all workflows.`,
  },
  output: changeResponse(
    described(
      z.object({
        runs: z.array(
          described(z.object({ runId: anyString, workflowId: anyString }), {
            runId: 'The run.',
            workflowId: 'The workflow.',
          }),
        ),
      }),
      { runs: 'The runs that were cancelled, oldest first.' },
    ),
  ),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.hedy }, body: { workflowIds: [demo.formerWorkflow] } },
  uses: { table: 'write', platform: 'write' },
  async run({ path, body: { workflowIds } }, { table, platform, caller, now, newId }) {
    const exceptRunId = table.causedBy?.runId;
    const chosen = { contactId: path.id, workflowIds, exceptRunId };
    const [, active] = await Promise.all([findContact(table, caller, path.id), activeRuns(table, chosen)]);
    if (exceptRunId !== undefined) {
      if (active.length > 0) {
        const others = { ...chosen, exceptRunId, startedUpTo: timestamp(now) };
        await table.commit([endOthersAction(table, others, now)]);
      }
      return cancelledRuns(active);
    }
    const cancelled = new Set<string>();
    await forEachOrThrow(active, width, async ({ _id }) => {
      let isCancelled = false;
      const cancel = (run: Run) => {
        isCancelled = !isOver(run);
        return isCancelled ? { after: endedRun(run, 'cancelled', undefined, now) } : undefined;
      };
      await changeRun({ table, platform }, _id, cancel, { now, newId });
      if (isCancelled) {
        cancelled.add(_id);
      }
    });
    return cancelledRuns(active.filter(({ _id }) => cancelled.has(_id)));
  },
});

function cancelledRuns(cancelled: readonly Run[]) {
  const runs = cancelled.map(({ _id: runId, workflowId }) => ({ runId, workflowId }));
  return ok({
    message: runs.length === 1 ? '1 run cancelled' : `${runs.length} runs cancelled`,
    data: { runs },
  });
}
