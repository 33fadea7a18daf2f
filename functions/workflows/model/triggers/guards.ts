import { hour, type Timestamp } from '../../../../shared/kernel/time.ts';
import type { Reentry } from '../definition/plan.ts';
import type { RefusalReason } from '../runs/refusals.ts';

/** How many runs may have caused each other before one. Source: the page of workflow runs, "Guards". */
export const longestChain = 5;

/** How many runs of a workflow may start for a contact within an hour. Source: the page of workflow runs, "Guards". */
export const startsInAnHour = 20;

/** What a contact's record of a workflow says of its runs. */
export interface Enrolment {
  readonly running: number;
  /** When the last ones started, oldest first; not more than `startsInAnHour`. */
  readonly lastStarts: readonly Timestamp[];
}

interface Entering {
  readonly workflowId: string;
  readonly reentry: Reentry;
  /** The workflows of the runs that led to the event, the first one first. */
  readonly causes: readonly string[];
  /** Before what happened. Undefined for a contact that never entered. */
  readonly before: Enrolment | undefined;
  /** With the runs that have started for what happened: each trigger of the workflow starts one of its own. */
  readonly enrolment: Enrolment | undefined;
  readonly now: Date;
}

/** Why a contact may not enter a workflow; undefined if it may. */
export function refusalOf({
  workflowId,
  reentry,
  causes,
  before,
  enrolment,
  now,
}: Entering): RefusalReason | undefined {
  const isRound = reentry !== 'always' && causes.includes(workflowId);
  if (causes.length > longestChain || isRound) {
    return 'loop_guard';
  }
  if (before !== undefined && (reentry === 'never' || (reentry === 'after_finish' && before.running > 0))) {
    return 'reentry';
  }
  const since = now.getTime() - hour;
  const recent = (enrolment?.lastStarts ?? []).filter((at) => Date.parse(at) > since);
  return recent.length >= startsInAnHour ? 'rate_of_contact' : undefined;
}

/** The record after the start of a run. */
export function entered(enrolment: Enrolment | undefined, at: Timestamp): Enrolment {
  const { running, lastStarts } = enrolment ?? { running: 0, lastStarts: [] };
  return { running: running + 1, lastStarts: [...lastStarts, at].slice(-startsInAnHour) };
}
