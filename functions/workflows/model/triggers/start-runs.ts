import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { type Action, VersionConflict } from '../../../../shared/table/table.ts';
import { enrolAction } from '../runs/entering.ts';
import { ownStepOf } from '../runs/operation-table.ts';
import { refusalActions } from '../runs/refusals.ts';
import { ContactGone, RunExists, startActions } from '../runs/run-actions.ts';
import { RunConflict } from '../runs/run-conflict.ts';
import { passStartGateAction, RunsEnded, StartsClosed } from '../runs/run-gate.ts';
import { type DecidedStarts, decideStarts } from './decide-starts.ts';
import type { Start, Started, StartTables } from './start.ts';
import { type StartFacts, startFactsOf } from './start-facts.ts';

/**
 * Starts the runs of a workflow at an occurrence, once however often it is delivered: what was decided the first time holds. All that
 * belongs to their start, and the record of those that may not start, is one transaction.
 * @returns one for each node; none if the contact is gone, the workflow was disabled or deleted meanwhile, or the owner may not see the
 *   contact of an event.
 */
export async function startRuns(
  tables: StartTables,
  start: Start,
  clock: ClockAndIds,
): Promise<readonly Started[]> {
  const { table } = tables;
  return table.optimistically(async () => {
    const facts = await startFactsOf(tables, start);
    if (facts === undefined) {
      return [];
    }
    const decided = decideStarts(start, facts, clock.now);
    const actions = actionsOf(tables, start, facts, decided, clock);
    if (actions.length > 0) {
      try {
        await table.commit(actions);
      } catch (error) {
        if (error instanceof RunExists) {
          // Another delivery was faster, perhaps with some of them only.
          throw new VersionConflict();
        }
        if (error instanceof RunsEnded && ownStepOf(table, start.row.workflowId) !== undefined) {
          // The step that starts its own workflow belongs to a run that has ended, too.
          throw new RunConflict();
        }
        if (error instanceof ContactGone || error instanceof StartsClosed || error instanceof RunsEnded) {
          return [];
        }
        throw error;
      }
    }
    return decided.results;
  });
}

function actionsOf(
  tables: StartTables,
  { row, occurrence }: Start,
  { enrolment: was }: StartFacts,
  { runs, refusals, enrolment }: DecidedStarts,
  clock: ClockAndIds,
): Action[] {
  const { table } = tables;
  const { topic, contactId, fields } = occurrence;
  return withoutRepetitions([
    ...runs.flatMap((run) => startActions(tables, run, fields, clock)),
    ...(runs[0] === undefined ? [] : [passStartGateAction(table, runs[0])]),
    ...(enrolment === undefined || topic === 'contact.deleted'
      ? []
      : [enrolAction(table, row, contactId, was, enrolment)]),
    ...refusalActions(table, row.workflowId, refusals, clock.now),
  ]);
}

/** Runs that start together require the same of their contact, and a transaction takes one action for each record. */
function withoutRepetitions(actions: readonly Action[]): Action[] {
  const known = new Set<string>();
  return actions.filter(({ request }) => {
    const text = JSON.stringify(request);
    const isNew = !known.has(text);
    known.add(text);
    return isNew;
  });
}
