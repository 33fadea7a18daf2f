import type { DueEntry, DueKind } from '../events/due-entry.ts';
import { type Actor, callingActor } from '../kernel/actor.ts';
import type { Caller } from '../kernel/caller.ts';
import { after, day, type Timestamp, timestamp } from '../kernel/time.ts';
import { joined, type Key, type Range, upTo } from '../table/key.ts';
import type { JobStatus, JobTypeName, RecordStatus, RevertStatus } from './job-statuses.ts';

/** How many records a job has, and what became of them so far. */
export type Counts = Record<'total' | RecordStatus, number>;

export const noCounts: Readonly<Counts> = { total: 0, created: 0, updated: 0, skipped: 0, failed: 0 };

/** Why a job ends before its last record. What it has not reached is then `skipped` for this reason. */
export interface Stop {
  readonly status: 'cancelled' | 'failed';
  readonly reason: 'cancelled' | 'creator_disabled';
}

/** Work through many records, done in slices. */
export interface Job {
  readonly _id: string;
  readonly organizationId: string;
  readonly type: JobTypeName;
  readonly status: JobStatus;
  readonly dryRun: boolean;
  readonly counts: Counts;
  readonly startedAt: Timestamp | null;
  readonly endedAt: Timestamp | null;
  readonly createdAt: Timestamp;
  readonly createdBy: string;
  /** The organization of its creator. */
  readonly homeOrganizationId: string;
  /** Who does what the job does. */
  readonly actor: Actor;
  readonly result?: Readonly<Record<string, unknown>>;
  /** How far its last slice came, as its type notes it. */
  readonly state?: unknown;
  readonly stop?: Stop;
  /** What it does cannot be undone. */
  readonly isFinal?: true;
  /** Its changes start no workflows. */
  readonly startsNoRuns?: true;
  /** Who reverts it, once somebody does. */
  readonly revert?: Acting;
}

/** With whose rights a job works, and in whose name. */
export type Acting = Pick<Job, 'createdBy' | 'homeOrganizationId' | 'actor'>;

/** Who works on a job now. */
export const actingFor = (job: Job): Acting => job.revert ?? job;

/** This caller as the one who works. */
export const callerActing = (caller: Caller): Acting => ({
  createdBy: caller.userId,
  homeOrganizationId: caller.homeOrganizationId,
  actor: callingActor(caller),
});

/** What became of one record. */
export interface ResultRow {
  /** The place of the record: the line in the file, or the number of the contact. */
  readonly row: number;
  readonly contactId?: string;
  readonly status: RecordStatus | RevertStatus;
  /** Why it was skipped or failed. It names fields and columns, never a value of a person. */
  readonly reason?: string;
  /** The users to whom the contact was assigned. */
  readonly notified?: readonly string[];
  /** More steps of the record follow. */
  readonly isOpen?: true;
}

/** A new job of this caller. */
export function queuedJob(
  caller: Caller,
  asked: Pick<Job, '_id' | 'type' | 'dryRun' | 'isFinal' | 'startsNoRuns'>,
  now: Date,
): Job {
  return {
    ...asked,
    ...{ organizationId: caller.organizationId, status: 'queued', counts: noCounts },
    ...{ startedAt: null, endedAt: null, createdAt: timestamp(now) },
    ...callerActing(caller),
  };
}

/** How long a job is kept, with its results. Source: contacts at work 3. */
export const jobKeptFor = 90 * day;

/** When what was stored for a job may be deleted. */
export const jobExpiry = ({ createdAt }: Pick<Job, 'createdAt'>): Date =>
  after(new Date(createdAt), jobKeptFor);

/** The kind of entry by which jobs of a type go on. */
const kindOfType = (type: JobTypeName): DueKind => `${type}Job`;

/** The entry that is due when a slice of a job may begin. */
export const sliceEntry = ({ _id, organizationId, type, revert }: Job, at: Date): DueEntry => ({
  kind: revert === undefined ? kindOfType(type) : 'revertJob',
  at: timestamp(at),
  organizationId,
  group: _id,
  id: _id,
});

/** The jobs of an organization, in the order of their ids. */
export const jobKey = (id: string): Key<Job> => ({ partition: ['JOBS'], sort: ['JOB', id] });

export const jobRange = (): Range<Job> => ({ partition: ['JOBS'], under: ['JOB'] });

/** What a job is to do, as its type takes it. */
export const jobInputKey = (id: string): Key<unknown> => ({ partition: ['JOB', id], sort: ['INPUT'] });

/** Digits of a row in a key: rows are sorted by number. */
const rowDigits = 9;

export const rowPart = (row: number) => String(row).padStart(rowDigits, '0');

/** The results of a job, or of its revert. */
export type ResultKind = 'RESULT' | 'REVERT';

export const resultKey = (id: string, row: number, kind: ResultKind = 'RESULT'): Key<ResultRow> => ({
  partition: ['JOB', id],
  sort: [kind, rowPart(row)],
});

export const resultRange = (id: string, kind: ResultKind = 'RESULT'): Range<ResultRow> => ({
  partition: ['JOB', id],
  under: [kind],
});

/** The results of the rows after this one. */
export const laterResultRange = (id: string, row: number, kind: ResultKind = 'RESULT'): Range<ResultRow> => ({
  partition: ['JOB', id],
  between: { from: joined([kind, rowPart(row + 1)]), to: upTo([kind]) },
});

/** Ids of contacts that a job works through, in parts. */
export const targetsKey = (id: string, part: number): Key<readonly string[]> => ({
  partition: ['JOB', id],
  sort: ['TARGETS', rowPart(part)],
});
