import type { Audience } from '../events/outbox.ts';
import type { StepOperations } from '../events/step-operations.ts';
import type { Caller } from '../kernel/caller.ts';
import type { ClockAndIds } from '../kernel/operation.ts';
import type { TableWriter } from '../table/table.ts';
import type { Counts, Job, Stop } from './job.ts';
import type { JobStatus } from './job-statuses.ts';

/** What jobs of one type do. `runJob` runs them, in slices of some seconds. */
export interface JobType<Input> {
  /** How a job ends that comes to its end; `done` unless stated. */
  readonly endsAs?: JobStatus;
  /**
   * Works for a while, and says how far it came. The engine commits that with the end of the slice. A slice whose process ended is repeated
   * from the state of the one before.
   */
  runSlice(context: SliceContext<Input>): Promise<SliceReport>;
}

/** How far a job has come. */
export interface SliceReport {
  /** Of the whole job so far; those of before unless stated. */
  readonly counts?: Counts | undefined;
  /** For the next slice. */
  readonly state: unknown;
  readonly isDone: boolean;
  /** How it ends, if not as other jobs of its type. */
  readonly endsAs?: JobStatus;
  /** To how many records of the whole job each of these users was assigned. */
  readonly assigned?: Readonly<Record<string, number>>;
  /** What the job came to. */
  readonly result?: Readonly<Record<string, unknown>> | undefined;
}

/** What a slice is given. `now` is the time at which it began. */
export interface SliceContext<Input> extends ClockAndIds {
  readonly job: Job;
  readonly input: Input;
  /** What the slice before returned; undefined in the first. */
  readonly state: unknown;
  /** Who works on the job, with the rights of now: its creator, or who reverts it. */
  readonly caller: Caller;
  /** The table of the organization. What is written through it comes from the creator, and its events name the job. */
  readonly table: TableWriter;
  readonly platform: TableWriter<'platform'>;
  readonly stepOperations: StepOperations;
  /** Set if the job ends before its last record. */
  readonly stop: Stop | undefined;
  /** The time of now. */
  clock(): Date;
  /** Whether there is time for something new, and nobody has cancelled the job. */
  mayGoOn(): Promise<boolean>;
  /** Whether sockets do not get the next event of the job, because they had enough in this second. */
  hides(audience: Audience): boolean;
  /** Notes that events for these users were hidden. */
  noteHidden(audience: Audience): void;
  /** Tells those of whom events were hidden that the job has changed more, at most once a second. */
  tellOfHidden(): Promise<void>;
  /** Reports a defect that does not stop the job. */
  noteDefect(error: unknown): void;
  /** Waits until the pace of the job allows another record. */
  takeTurn(): Promise<void>;
}
