import { type DueEntry, dueAt } from '../events/due-entry.ts';
import type { Timestamp } from '../kernel/time.ts';

/** The part of a run that determines when it is due. */
export interface DueRun {
  readonly _id: string;
  readonly contactId: string;
  readonly tokens: readonly {
    readonly wait?: { readonly since: Timestamp; readonly until?: Timestamp; readonly ended?: string };
  }[];
  readonly steps: number;
  readonly startedAt: Timestamp;
  readonly startsAt?: Timestamp;
  readonly finishedAt?: Timestamp;
}

/**
 * When a run continues by itself: at its start if that was postponed, or when the first of its waits ends. Undefined for a run that waits
 * for no time, or that has ended.
 */
export function runDueTime({
  tokens,
  steps,
  startedAt,
  startsAt,
  finishedAt,
}: DueRun): Timestamp | undefined {
  if (finishedAt !== undefined) {
    return undefined;
  }
  const start = steps === 0 && startsAt !== undefined ? [dueAt(startsAt, startedAt)] : [];
  const ends = tokens.flatMap(({ wait }) =>
    wait?.until === undefined || wait.ended !== undefined ? [] : [dueAt(wait.until, wait.since)],
  );
  return [...start, ...ends].sort()[0];
}

/** The one entry of a run among what is due: however many waits it has, the clock wakes it for the first. */
export function dueRun(organizationId: string, run: DueRun): DueEntry | undefined {
  const at = runDueTime(run);
  return at === undefined
    ? undefined
    : { kind: 'workflowRun', at, organizationId, group: run.contactId, id: run._id };
}
