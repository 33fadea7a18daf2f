import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { timestamp } from '../../../../shared/kernel/time.ts';
import { type Action, type TableWriter, VersionConflict } from '../../../../shared/table/table.ts';
import { enrollAction } from '../runs/enrollment.ts';
import { findOwnStep } from '../runs/operation-table.ts';
import { refusalActions } from '../runs/refusals.ts';
import { ContactGone, RunExists, startActions } from '../runs/run-actions.ts';
import { RunConflict } from '../runs/run-conflict.ts';
import { passStartGateAction, RunsEnded, StartsClosed } from '../runs/run-gate.ts';
import { type DecidedStarts, decideStarts } from './decide-starts.ts';
import type { Start, Started, StartTables } from './start.ts';
import { readStartFacts, type StartFacts } from './start-facts.ts';
import { reserveStartTimes } from './start-times.ts';

/** A start, with what it depends on: read before, to learn how many runs start. */
export interface PreparedStart {
  readonly start: Start;
  readonly facts: StartFacts;
  /** The nodes whose runs may start by these facts: only they take places at the rate of the workflow. */
  readonly starting: ReadonlySet<string>;
}

/**
 * The facts that some starts of one occurrence depend on, without nodes that an earlier delivery has decided about unless they are to be
 * told of, too.
 */
export async function prepareStarts(
  tables: StartTables,
  starts: readonly Start[],
  now: Date,
  tellsOfEarlier = false,
): Promise<PreparedStart[]> {
  const prepared = await Promise.all(
    starts.map(async (wanted): Promise<PreparedStart[]> => {
      const facts = await readStartFacts(tables, wanted);
      const nodes = wanted.nodes.filter(
        ({ nodeId }) => tellsOfEarlier || facts?.earlier.has(nodeId) === false,
      );
      if (facts === undefined || nodes.length === 0) {
        return [];
      }
      const start = { ...wanted, nodes };
      const { runs } = decideStarts(start, facts, now);
      return [{ start, facts, starting: new Set(runs.map(({ triggerId }) => triggerId)) }];
    }),
  );
  return prepared.flat();
}

/** Starts of one workflow, each at its time: a burst is spread. */
export async function spreadStarts(
  table: TableWriter,
  starts: readonly PreparedStart[],
  now: Date,
): Promise<readonly PreparedStart[]> {
  const [first] = starts;
  const count = starts.reduce((sum, { starting }) => sum + starting.size, 0);
  if (first === undefined || count === 0) {
    return starts;
  }
  const times = await reserveStartTimes(table, first.start.row, count, now);
  return starts.map((start) => {
    const nodes = start.start.nodes.map((node) => {
      const time = start.starting.has(node.nodeId) ? times.shift() : undefined;
      return { ...node, ...(time && { startsAt: timestamp(time) }) };
    });
    return { ...start, start: { ...start.start, nodes } };
  });
}

/**
 * Starts the runs of a workflow at an occurrence, once however often it is delivered: what was decided the first time holds. All that
 * belongs to their start, and the record of refused starts, is one transaction, which fails if the facts have changed: they are
 * then read again.
 * @param known what the start depends on, if it was read just now.
 * @returns one for each node; none if the contact is gone, the workflow was disabled or deleted meanwhile, or the owner may not see the
 *   contact of an event.
 */
export async function startRuns(
  tables: StartTables,
  start: Start,
  clock: ClockAndIds,
  known?: StartFacts,
): Promise<readonly Started[]> {
  const { table } = tables;
  let latest = known;
  return table.optimistically(async () => {
    const facts = latest ?? (await readStartFacts(tables, start));
    latest = undefined;
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
        if (error instanceof RunsEnded && findOwnStep(table, start.row.workflowId) !== undefined) {
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
  { enrollment: was, ownerId }: StartFacts,
  { runs, refusals, enrollment }: DecidedStarts,
  clock: ClockAndIds,
): Action[] {
  const { table } = tables;
  const { topic, contactId, fields } = occurrence;
  return withoutRepetitions([
    ...runs.flatMap((run) => startActions(tables, run, fields, clock, ownerId)),
    ...(runs[0] === undefined ? [] : [passStartGateAction(table, runs[0])]),
    ...(enrollment === undefined || topic === 'contact.deleted'
      ? []
      : [enrollAction(table, row, contactId, was, enrollment)]),
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
