import { scheduleAction } from '../events/due-entry.ts';
import { type Audience, eventActions, type NewEvent } from '../events/outbox.ts';
import { chunks } from '../kernel/chunks.ts';
import type { ClockAndIds } from '../kernel/operation.ts';
import { after, second, timestamp } from '../kernel/time.ts';
import type { Action, TableWriter } from '../table/table.ts';
import { actingFor, type Job, jobExpiry, jobInputKey, jobKey, type Stop, sliceEntry } from './job.ts';
import { toJobResponse } from './job-response.ts';
import type { JobType, SliceReport } from './job-type.ts';

/** Milliseconds from the end of a slice to the next, so that a job has no two events within a second. */
export const betweenSlices = second;

/** Users whom one event notifies: their notifications are one transaction. */
const notifiedAtOnce = 25;

interface Ending extends ClockAndIds {
  readonly table: TableWriter;
  readonly platform: TableWriter<'platform'>;
  /** Ends the entry of the slice. */
  readonly end: Action;
}

interface Slice {
  readonly report: SliceReport;
  readonly stop: Stop | undefined;
  /** Who has not got all events, and has not been told. */
  readonly hidden: Audience | undefined;
}

/** Commits how far the job came, its events, and the end of the slice. @throws `AlreadyDone` if the slice was ended by another process. */
export async function endSlice(
  { table, platform, end, now, newId }: Ending,
  id: string,
  type: JobType<never>,
  { report: { counts, state, isDone, assigned = {}, result, endsAs = type.endsAs }, stop, hidden }: Slice,
): Promise<void> {
  const people = isDone ? Object.keys(assigned).filter((userId) => (assigned[userId] ?? 0) > 0) : [];
  const eventIds = Array.from({ length: 2 + people.length }, newId);
  await table.optimistically(async () => {
    const stored = await table.read(jobKey(id));
    if (stored === undefined) {
      return table.commit([end]);
    }
    const { state: _, ...before } = stored.data;
    const job: Job = {
      ...before,
      ...{
        counts: counts ?? before.counts,
        status: 'running',
        startedAt: before.startedAt ?? timestamp(now),
      },
      ...(isDone ? { status: stop?.status ?? endsAs ?? 'done', endedAt: timestamp(now) } : { state }),
      ...(result && { result }),
      ...(stop && { stop }),
    };
    const events: NewEvent[] = [
      updatedJob(job),
      ...(hidden === undefined ? [] : [changedMore(job, hidden)]),
      ...chunks(people, notifiedAtOnce).map((to) => assignedMany(job, to, assigned)),
    ];
    await table.commit([
      end,
      table.replace(stored, job, { expiresAt: jobExpiry(job) }),
      // Its input may have values for a single contact, which are kept with the contact alone.
      isDone
        ? table.delete(jobInputKey(id))
        : scheduleAction(platform, sliceEntry(job, after(now, betweenSlices))),
      ...eventActions(table, events, eventIds, now),
    ]);
  });
}

/** The event of how far the job is, for those who work on it. */
function updatedJob(job: Job): NewEvent {
  const userIds = [...new Set([job.createdBy, actingFor(job).createdBy])];
  return {
    event: 'job_updated',
    data: { jobId: job._id, job: toJobResponse(job) },
    brief: { jobId: job._id },
    audience: { kind: 'users', userIds },
  };
}

/** The event that the job has changed more than sockets were told. */
export const changedMore = ({ _id: jobId }: Pick<Job, '_id'>, audience: Audience): NewEvent => ({
  event: 'job_updated',
  data: { jobId, changed: true },
  audience,
});

/** The event, for nobody, that notifies users of all that the job has assigned to them. */
const assignedMany = (
  { _id: jobId, ...job }: Job,
  to: readonly string[],
  counts: Readonly<Record<string, number>>,
): NewEvent => ({
  event: 'job_updated',
  data: { jobId },
  audience: { kind: 'users', userIds: [] },
  notify: { type: 'assignment', by: actingFor({ _id: jobId, ...job }).createdBy, to, counts },
});
