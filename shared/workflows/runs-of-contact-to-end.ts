import type { Caller } from '../kernel/caller.ts';
import { after, day, type Timestamp, timestamp } from '../kernel/time.ts';
import type { Key } from '../table/key.ts';
import type { Action, TableWriter } from '../table/table.ts';

/** Runs of a contact that somebody wants to end. */
export interface ChosenRuns {
  readonly contactId: string;
  /** Only those of these workflows; by default, of all workflows. */
  readonly workflowIds?: readonly string[] | undefined;
  /** The run that goes on: the one whose step ends the others. */
  readonly exceptRunId?: string | undefined;
}

/**
 * Asks for the end of runs of a contact, in the transaction of their cause: they may be more than a transaction has room for.
 * `end-workflow-runs` finds it in the stream.
 */
export interface RunsOfContactToEnd extends ChosenRuns {
  /** `stopped_by_workflow` unless stated. */
  readonly reason?: 'contact_archived';
  /** The owner of the workflow whose step ends them, who may end only runs with no wider rights; without one, all end. */
  readonly by?: Pick<Caller, 'userId' | 'role'>;
  /** Runs that start later go on. */
  readonly startedUpTo: Timestamp;
  /** Where the next batch begins among the runs of the contact; from the start without one. */
  readonly cursor?: string;
}

/** `cause` is the run whose step ends them, or the reason. */
export const runsOfContactToEndKey = (contactId: string, cause: string): Key<RunsOfContactToEnd> => ({
  partition: ['CONTACT', contactId],
  sort: ['RUNS_TO_END', cause],
});

/** The action that asks for the end of these runs. */
export function endRunsOfContactAction(table: TableWriter, runs: RunsOfContactToEnd, now: Date): Action {
  const { contactId, exceptRunId, reason = '' } = runs;
  return table.put(runsOfContactToEndKey(contactId, exceptRunId ?? reason), runs, {
    expiresAt: after(now, day),
  });
}

/** The action that ends all runs of a contact that is archived, whoever owns their workflows. */
export function endRunsOfArchived(table: TableWriter, contactId: string, now: Date): Action {
  return endRunsOfContactAction(
    table,
    { contactId, reason: 'contact_archived', startedUpTo: timestamp(now) },
    now,
  );
}
