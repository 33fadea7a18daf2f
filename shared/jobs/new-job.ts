import { scheduleAction } from '../events/due-entry.ts';
import type { Caller } from '../kernel/caller.ts';
import type { ClockAndIds, Ports } from '../kernel/operation.ts';
import type { Action } from '../table/table.ts';
import { type Job, jobExpiry, jobInputKey, jobKey, queuedJob, sliceEntry, targetsKey } from './job.ts';
import type { JobTypeName } from './job-statuses.ts';

interface Request {
  readonly type: JobTypeName;
  readonly dryRun: boolean;
  /** Whether what it does cannot be undone. */
  readonly isFinal?: boolean;
  /** Whether its changes start no workflows. */
  readonly startsNoRuns?: boolean;
  /** What it is to do, as its type takes it. */
  readonly input: unknown;
  /** The contacts that it works through, if they are known. */
  readonly contactIds?: readonly string[];
}

/** A new job, and the actions that store it and let its first slice begin. */
export function newJob(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  caller: Caller,
  { type, dryRun, isFinal = false, startsNoRuns = false, input, contactIds }: Request,
  { now, newId }: ClockAndIds,
): { readonly job: Job; readonly actions: readonly Action[] } {
  const job = queuedJob(
    caller,
    { _id: newId(), type, dryRun, ...(isFinal && { isFinal }), ...(startsNoRuns && { startsNoRuns }) },
    now,
  );
  const options = { expiresAt: jobExpiry(job) };
  return {
    job,
    actions: [
      table.add(jobKey(job._id), job, options),
      table.put(jobInputKey(job._id), input, options),
      ...(contactIds === undefined ? [] : [table.put(targetsKey(job._id, 0), contactIds, options)]),
      scheduleAction(platform, sliceEntry(job, now)),
    ],
  };
}
