import * as z from 'zod/mini';
import { findContact } from '../../shared/contacts/find-contact.ts';
import * as demo from '../../shared/demo-ids.ts';
import { described } from '../../shared/kernel/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { anyText } from '../../shared/kernel/fields.ts';
import { forEachConcurrently } from '../../shared/kernel/for-each-concurrently.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { endedRun } from './model/engine/advanced.ts';
import { isOver } from './model/engine/lifecycle.ts';
import { changeRun } from './model/runs/change-run.ts';
import { type Run, runRange } from './model/runs/run.ts';

/** Runs that are cancelled at the same time. */
const width = 10;

export default operation({
  route: 'POST /api/contacts/{id}/workflow-runs/cancel',
  summary: 'Cancel all runs of workflows for a contact',
  description:
    'Ends all that are running or waiting, whether or not you may see their workflows; what they have done stays done. With none, the list is empty. Emits `workflow_run_updated` for each.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
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
  example: { path: { id: demo.spareContact } },
  uses: { table: 'write', platform: 'write' },
  async run({ path }, { table, platform, caller, now, newId }) {
    const [, records] = await Promise.all([
      findContact(table, caller, path.id),
      table.list(runRange(path.id)),
    ]);
    const active = records.map(({ data }) => data).filter((run) => !isOver(run));
    const cancelled = new Set<string>();
    const [failure] = await forEachConcurrently(active, width, async ({ _id }) => {
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
    if (failure !== undefined) {
      throw failure;
    }
    const runs = active
      .filter(({ _id }) => cancelled.has(_id))
      .map(({ _id: runId, workflowId }) => ({ runId, workflowId }));
    return ok({
      message: runs.length === 1 ? '1 run cancelled' : `${runs.length} runs cancelled`,
      data: { runs },
    });
  },
});
