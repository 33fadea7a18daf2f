import { AlreadyDone, type DueEntry, dueKeyFor } from '../events/due-entry.ts';
import { eventAction } from '../events/outbox.ts';
import type { Caller } from '../kernel/caller.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { idAt } from '../kernel/id-at.ts';
import type { ClockAndIds, Ports } from '../kernel/operation.ts';
import { risingIds } from '../kernel/rising-ids.ts';
import { after, second, timestamp } from '../kernel/time.ts';
import { userKey } from '../organizations/user.ts';
import { pause } from '../table/backoff.ts';
import { acquireLease, LeasedElsewhere } from '../table/lease.ts';
import {
  type Action,
  type Stored,
  type TableReader,
  type TableWriter,
  VersionConflict,
} from '../table/table.ts';
import { changedMore, endSlice } from './end-slice.ts';
import { hiddenEvents } from './hidden-events.ts';
import { actingFor, type Job, jobExpiry, jobInputKey, jobKey, type Stop } from './job.ts';
import type { JobType, SliceContext } from './job-type.ts';

/** Milliseconds for which a slice begins new records, and which it leaves of its invocation for those that it has begun. */
export const sliceTime = { most: 12 * second, reserve: 5 * second };

/** Milliseconds for which nobody else begins the same slice: longer than any invocation. */
const leaseDuration = 35 * second;

/** Milliseconds after which a slice looks again whether its job was cancelled. */
const lookInterval = second;

/** Records that a job begins in a second. */
export const pacePerSecond = 50;

interface JobPorts
  extends Ports<{ organizations: 'write'; platform: 'write'; stepOperations: 'run' }>,
    ClockAndIds {
  readonly end: Action;
  readonly deadline: Deadline;
}

/** Runs the slice of a job that is due. @returns the outcome. @throws when it must be tried again. */
export async function runJob<Input>(
  type: JobType<Input>,
  entry: DueEntry,
  { organizations, platform, stepOperations, end, deadline, now, newId }: JobPorts,
): Promise<string> {
  await leaseSlice(platform, entry, now);
  const plain = organizations(entry.organizationId);
  const [stored, input] = await Promise.all([
    plain.read(jobKey(entry.id)),
    plain.read(jobInputKey(entry.id)),
  ]);
  if (stored === undefined || stored.data.endedAt !== null) {
    await plain.commit([end]);
    return 'gone';
  }
  const { data: job } = stored;
  const table = { ...plain, origin: { actor: actingFor(job).actor, jobId: job._id } };
  const [caller] = await Promise.all([readCreator(organizations, job), beginJob(table, stored, now)]);
  const stop: Stop | undefined =
    job.stop ?? (caller === undefined ? { status: 'failed', reason: 'creator_disabled' } : undefined);
  const clock = clockFrom(now);
  const ids = risingIds(() => idAt(clock(), newId()));
  const hidden = hiddenEvents(() => performance.now());
  const defects: unknown[] = [];
  const report = await type.runSlice({
    ...{ job, input: input?.data as Input, state: job.state, stop, table, platform, stepOperations },
    caller: caller ?? creatorWith(job, 'SALES_REP'),
    ...{ now, clock, newId: ids, hides: hidden.hides, noteHidden: hidden.note },
    ...sliceLimits(table, job, stop, deadline),
    async tellOfHidden() {
      const audience = hidden.take();
      if (audience !== undefined) {
        await table.commit([eventAction(table, changedMore(job, audience), ids(), clock())]);
      }
    },
    noteDefect: (error) => void defects.push(error),
  });
  await endSlice({ table, platform, end, now: clock(), newId: ids }, job._id, type, {
    ...{ report, stop },
    hidden: hidden.takeRest(),
  });
  if (defects.length > 0) {
    throw new Error(`A job failed at ${defects.length} of its records`, { cause: defects[0] });
  }
  return report.isDone ? 'ended' : 'continued';
}

/** Lets nobody else begin this slice. @throws `AlreadyDone` if somebody else has begun it, or it is over. */
async function leaseSlice(platform: TableWriter<'platform'>, entry: DueEntry, now: Date): Promise<void> {
  const lease = await acquireLease(platform, dueKeyFor(entry), { now, duration: leaseDuration }).catch(
    (error: unknown) => {
      if (error instanceof LeasedElsewhere) {
        return undefined;
      }
      throw error;
    },
  );
  if (lease === undefined) {
    throw new AlreadyDone();
  }
}

/** The creator as a caller, with the role of now; undefined for one who is disabled or gone, or has no rights here any more. */
async function readCreator(
  organizations: (organizationId: string) => TableReader,
  job: Job,
): Promise<Caller | undefined> {
  const { createdBy, homeOrganizationId } = actingFor(job);
  const user = (await organizations(homeOrganizationId).read(userKey(createdBy)))?.data;
  const isHere = homeOrganizationId === job.organizationId || user?.accessRole === 'SUPERADMIN';
  return user === undefined || user.disabled || !isHere ? undefined : creatorWith(job, user.accessRole);
}

function creatorWith(job: Job, role: Caller['role']): Caller {
  const { createdBy: userId, homeOrganizationId } = actingFor(job);
  return { userId, role, organizationId: job.organizationId, homeOrganizationId };
}

/** Notes that the first slice has begun. */
async function beginJob(table: TableWriter, stored: Stored<Job>, now: Date): Promise<void> {
  const { data: job } = stored;
  if (job.status === 'queued') {
    const running: Job = { ...job, status: 'running', startedAt: timestamp(now) };
    await table
      .commit([table.replace(stored, running, { expiresAt: jobExpiry(job) })])
      .catch((error: unknown) => {
        // Somebody has cancelled it at this moment, which the end of the slice finds.
        if (!(error instanceof VersionConflict)) {
          throw error;
        }
      });
  }
}

/** The time of now, from the time at which the invocation began. */
function clockFrom(now: Date): () => Date {
  const start = performance.now();
  return () => after(now, performance.now() - start);
}

/** What limits a slice: the time for it, somebody who cancels its job, and the pace. */
function sliceLimits(
  table: TableReader,
  { _id }: Job,
  stop: Stop | undefined,
  deadline: Deadline,
): Pick<SliceContext<unknown>, 'mayGoOn' | 'takeTurn'> {
  let start: number | undefined;
  let lookedAt = performance.now();
  let nextTurn = 0;
  let isCancelled = false;
  return {
    async mayGoOn() {
      const time = performance.now();
      // Counted from the first record, so that there is one in every slice.
      if (start === undefined) {
        start = time;
        return true;
      }
      if (stop === undefined && time - lookedAt > lookInterval) {
        lookedAt = time;
        const job = await table.read(jobKey(_id), { consistent: false });
        isCancelled ||= job?.data.stop !== undefined;
      }
      return !isCancelled && time - start < sliceTime.most && deadline.left() > sliceTime.reserve;
    },
    async takeTurn() {
      const time = performance.now();
      const turn = Math.max(nextTurn, time);
      nextTurn = turn + second / pacePerSecond;
      await (turn > time && pause(turn - time));
    },
  };
}
