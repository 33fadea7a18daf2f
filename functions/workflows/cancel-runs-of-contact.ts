import * as z from 'zod/mini';
import { requireUnmerged } from '../../shared/contacts/find-contact.ts';
import { readContact, runPartitions } from '../../shared/contacts/holdings.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { forEachOrThrow } from '../../shared/kernel/for-each-concurrently.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString, Id } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { involvedPeople, sees } from '../../shared/organizations/visibility.ts';
import { endRunsOfContactAction } from '../../shared/workflows/runs-of-contact-to-end.ts';
import { maxWorkflows } from './model/definition/node-fields.ts';
import { readRights } from './model/definition/rights-of-owner.ts';
import { endedRun, isOver } from './model/execution/engine.ts';
import { changeRun } from './model/runs/change-run.ts';
import { findActiveRuns } from './model/runs/others-to-end.ts';
import type { Run } from './model/runs/run.ts';

/** Runs that are cancelled at the same time. */
const width = 10;

export default operation({
  route: 'POST /api/contacts/{id}/workflow-runs/cancel',
  summary: 'Cancel all runs of workflows for a contact',
  description:
    'Ends all runs that are running or waiting, or only those of some workflows. What the runs have done stays done. If there are none, the list is empty. A run acts with the rights of the owner of its workflow, so those of an owner with wider rights than yours go on, and `message` says how many; if there are no others, the response is 403. The owner of a workflow, an ADMIN, and a DEPARTMENT_HEAD who sees everything that the owner sees and whose role is not lower may end its runs. Emits `workflow_run_updated` for each.',
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
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  example: { path: { id: demo.hedy }, body: { workflowIds: [demo.formerWorkflow] } },
  uses: { table: 'write', platform: 'write' },
  async run({ path, body: { workflowIds } }, { table, platform, caller, now, newId }) {
    const exceptRunId = table.causedBy?.runId;
    const chosen = { contactId: path.id, workflowIds, exceptRunId };
    const [contact, own, rights] = await Promise.all([
      readContact(table, path.id),
      findActiveRuns(table, chosen),
      readRights(caller, table),
    ]);
    if (contact === undefined || !sees(rights.scope, involvedPeople(contact.data))) {
      throw notFound('Contact');
    }
    requireUnmerged(path.id, contact.data);
    const [, ...mergedIds] = runPartitions(contact.data);
    const others = mergedIds.map((contactId) => findActiveRuns(table, { ...chosen, contactId }));
    const active = [own, ...(await Promise.all(others))].flat();
    const ending = active.filter(({ userId }) => rights.covers(userId));
    const left = active.length - ending.length;
    if (exceptRunId !== undefined) {
      if (ending.length > 0) {
        const by = { userId: caller.userId, role: caller.role };
        const ended = { ...chosen, exceptRunId, by, startedUpTo: timestamp(now) };
        const partitions = runPartitions(contact.data);
        await table.commit(
          partitions.map((contactId) => endRunsOfContactAction(table, { ...ended, contactId }, now)),
        );
      }
      return cancelledRuns(ending, left);
    }
    if (ending.length === 0 && left > 0) {
      throw new Failure(
        'FORBIDDEN',
        'The runs of this contact belong to workflows with wider rights than you. Ask their owners or an ADMIN.',
      );
    }
    const cancelled = new Set<string>();
    await forEachOrThrow(ending, width, async ({ _id }) => {
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
    return cancelledRuns(
      ending.filter(({ _id }) => cancelled.has(_id)),
      left,
    );
  },
});

/** @param left how many the caller may not end. */
function cancelledRuns(cancelled: readonly Run[], left: number) {
  const runs = cancelled.map(({ _id: runId, workflowId }) => ({ runId, workflowId }));
  return ok({
    message: `${runs.length === 1 ? '1 run cancelled' : `${runs.length} runs cancelled`}${goOn(left)}`,
    data: { runs },
  });
}

function goOn(left: number): string {
  switch (left) {
    case 0:
      return '';
    case 1:
      return '. 1 goes on, whose workflow has wider rights than you: ask its owner or an ADMIN.';
    default:
      return `. ${left} go on, whose workflows have wider rights than you: ask their owners or an ADMIN.`;
  }
}
