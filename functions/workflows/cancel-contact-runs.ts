import * as z from 'zod/mini';
import { findContact } from '../../shared/contacts/find-contact.ts';
import * as demo from '../../shared/demo-ids.ts';
import { described } from '../../shared/kernel/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { anyText, Id } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { cancelRuns } from './model/runs/cancel-runs.ts';
import type { Run } from './model/runs/run.ts';

export default operation({
  route: 'POST /api/contacts/{id}/workflow-runs/cancel',
  summary: 'Cancel the runs of workflows for a contact',
  description:
    'Ends all that are running or waiting, whether or not you may see their workflows; what they have done stays done. With none, `runs` is empty. Emits `workflow_run_updated` for each.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  asStep: true,
  body: z.object({
    workflowIds: z.optional(z.array(Id).check(z.maxLength(50))),
    exceptRunId: z.optional(Id),
  }),
  descriptions: {
    workflowIds: 'Only runs of these workflows, at most 50; those of all unless stated.',
    exceptRunId: 'A run that goes on.',
  },
  output: changeResponse(
    described(
      z.object({
        runs: z.array(
          described(z.object({ runId: anyText, workflowId: anyText }), {
            runId: 'The run.',
            workflowId: 'The workflow.',
          }),
        ),
      }),
      { runs: 'The runs that were cancelled, oldest first.' },
    ),
  ),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareContact }, body: {} },
  uses: { table: 'write', platform: 'write' },
  async run({ path, body: { workflowIds, exceptRunId } }, { table, platform, caller, now, newId }) {
    await findContact(table, caller, path.id);
    const isStep = table.causedBy !== undefined;
    const cancelling = {
      contactId: path.id,
      reason: isStep ? 'stopped_by_workflow' : undefined,
      isMeant: ({ _id, workflowId }: Run) =>
        _id !== exceptRunId && (workflowIds === undefined || workflowIds.includes(workflowId)),
    };
    const runs: { runId: string; workflowId: string }[] = [];
    for (let areAll = false; !areAll; ) {
      const cancelled = await cancelRuns({ table, platform }, cancelling, { now, newId });
      runs.push(...cancelled.runs.map(({ _id: runId, workflowId }) => ({ runId, workflowId })));
      // A step writes once.
      areAll = cancelled.areAll || isStep;
    }
    return ok({
      message: runs.length === 1 ? '1 run cancelled' : `${runs.length} runs cancelled`,
      data: { runs },
    });
  },
});
