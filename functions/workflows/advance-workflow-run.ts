import { timestamp } from '../../shared/kernel/time.ts';
import { queueOperation } from '../../shared/kernel/trigger.ts';
import { advanceRun } from './model/advancing/advance-run.ts';
import { giveUp, mostTries } from './model/advancing/give-up.ts';
import { type QueuedRun, queueRun } from './model/advancing/queued-run.ts';
import { planOfRun } from './model/plans/run-changes.ts';
import { readyRunKey } from './model/runs/run.ts';

export default queueOperation({
  queue: 'workflowRuns',
  summary: 'Take the steps of runs of workflows that can go on',
  uses: {
    organizations: 'write',
    platform: 'write',
    objects: 'plans',
    stepOperations: 'run',
    queue: 'workflowRuns',
  },
  async run(message, { organizations, platform, objects, stepOperations, queue, now: ownNow, newId }) {
    const queued = message as QueuedRun;
    const { organizationId, runId, tries, dueAt } = queued;
    // The clock ran on another machine, which may be ahead: it has ended the entry, and nobody would wake the run again.
    const now = dueAt !== undefined && dueAt > timestamp(ownNow) ? new Date(dueAt) : ownNow;
    const table = organizations(organizationId);
    const plans = { table, objects: objects(organizationId) };
    try {
      const { isLeft, receipts, run } = await advanceRun(
        { tables: { table, platform }, stepOperations, planOf: (run) => planOfRun(plans, run), now, newId },
        runId,
      );
      if (run === undefined) {
        // The clock may have woken it at the moment when it was deleted with its contact.
        await table.deleteMany([readyRunKey(runId)]);
      }
      await (isLeft && queueRun(queue, { organizationId, runId, tries: 0 }));
      return { steps: receipts.length };
    } catch (problem) {
      if (tries >= mostTries) {
        await giveUp({ table, platform }, runId, { now, newId });
      } else {
        await queueRun(queue, { ...queued, tries: tries + 1 });
      }
      return { tries, problem };
    }
  },
});
