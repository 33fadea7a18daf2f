import { type DueMessage, doWhatIsDue } from '../../shared/events/due-message.ts';
import { queueOperation } from '../../shared/kernel/trigger.ts';
import { advanceRun } from './model/runs/advance-run.ts';
import { givenUp, giveUp, maxTries } from './model/runs/change-run.ts';
import { postRequest } from './model/runs/post-request.ts';
import type { QueuedRequest } from './model/runs/queued-request.ts';
import {
  maxCrashes,
  maxDeliveries,
  type QueuedRun,
  quarantineRun,
  queueRun,
  toQueuedRun,
} from './model/runs/queued-run.ts';
import { readyRunKey } from './model/runs/run.ts';
import { readRunPlan } from './model/runs/run-changes.ts';

export default queueOperation({
  queue: 'workflowRuns',
  summary:
    'Take the next steps of runs of workflows, post their requests, and do what else is due at its second',
  uses: {
    organizations: 'write',
    platform: 'write',
    objects: 'plans',
    stepOperations: 'run',
    dueOperations: 'run',
    outgoingPosts: 'send',
    queue: 'workflowRuns',
  },
  async run(message, context) {
    const { organizations, platform, objects, stepOperations, dueOperations, outgoingPosts } = context;
    const { queue, delivery, clock, newId } = context;
    const job = message as QueuedRun | QueuedRequest | DueMessage;
    if ('attempt' in job) {
      const tables = { table: organizations(job.organizationId), platform };
      return {
        attempt: job.attempt,
        outcome: await postRequest({ tables, outgoingPosts, queue }, job, { clock, newId }),
      };
    }
    if ('due' in job && job.due.kind !== 'workflowRun') {
      // The clock tries again what fails.
      return doWhatIsDue({ platform, dueOperations, queue }, job, clock()).then(
        (outcome) => ({ outcome }),
        (problem) => ({ problem }),
      );
    }
    const queued = 'due' in job ? toQueuedRun(job.due) : job;
    const { organizationId, runId, tries, losses: crashes = 0, dueAt } = queued;
    // Another machine, whose clock may be ahead, woke the run: it has ended the entry, and nobody would wake the run again.
    const earliest = dueAt === undefined ? 0 : Date.parse(dueAt);
    const time = () => new Date(Math.max(clock().getTime(), earliest));
    const now = time();
    const table = organizations(organizationId);
    if (delivery >= maxDeliveries) {
      const isLost = crashes >= maxCrashes;
      await (isLost
        ? giveUp({ table, platform }, runId, 'crashes', { now, newId })
        : quarantineRun(queue, queued));
      return { crashes, problem: new Error(isLost ? givenUp.crashes : 'A run was delivered too often') };
    }
    const plans = { table, objects: objects(organizationId) };
    try {
      const { isLeft, stepRecords, run } = await advanceRun(
        {
          tables: { table, platform },
          stepOperations,
          planOf: (run) => readRunPlan(plans, run),
          clock: time,
          now,
          newId,
        },
        runId,
      );
      if (run === undefined) {
        // The clock may have woken it at the moment when it was deleted with its contact.
        await table.deleteMany([readyRunKey(runId)]);
      }
      await (isLeft && queueRun(queue, { organizationId, runId, tries: 0 }));
      return { steps: stepRecords.length };
    } catch (problem) {
      if (tries >= maxTries) {
        await giveUp({ table, platform }, runId, 'tries', { now, newId });
      } else {
        await queueRun(queue, { ...queued, tries: tries + 1 });
      }
      return { tries, problem };
    }
  },
});
