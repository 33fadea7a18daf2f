import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { type Step, type Stored, type TableWriter, VersionConflict } from '../../../../shared/table/table.ts';
import { type StatisticsChange, statisticsSteps } from '../../../../shared/workflows/run-statistics.ts';
import { endedRun } from '../engine/advanced.ts';
import { isOver } from '../engine/lifecycle.ts';
import { enrolmentKey } from './enrolment.ts';
import { type Run, runRange } from './run.ts';
import { type RunTables, uncountedSteps } from './run-steps.ts';
import { statisticsChanges } from './statistics-changes.ts';

/** Actions of a transaction for runs; what remains of the hundred is for a step of a workflow that cancels them. */
const mostActions = 80;

export interface Cancelling {
  readonly contactId: string;
  isMeant(run: Run): boolean;
  /** In the runs; none unless stated. */
  readonly reason?: string | undefined;
}

/**
 * Cancels runs of a contact that have not ended, as many as one transaction takes.
 * @returns those it cancelled, oldest first, and whether these were all.
 */
export function cancelRuns(
  tables: RunTables,
  { contactId, isMeant, reason }: Cancelling,
  clock: ClockAndIds,
): Promise<{ readonly runs: readonly Run[]; readonly areAll: boolean }> {
  const { table } = tables;
  return table.optimistically(async () => {
    const records = await table.list(runRange(contactId));
    const active = records.filter(({ data }) => !isOver(data) && isMeant(data));
    const taken: Stored<Run>[] = [];
    let steps: Step[] = [];
    for (const record of active) {
      const more = cancellingSteps(tables, [...taken, record], reason, clock);
      if (more.length > mostActions && taken.length > 0) {
        break;
      }
      taken.push(record);
      steps = more;
    }
    if (steps.length > 0) {
      await table.commit(steps);
    }
    return { runs: taken.map(({ data }) => data), areAll: taken.length === active.length };
  });
}

function cancellingSteps(
  tables: RunTables,
  runs: readonly Stored<Run>[],
  reason: string | undefined,
  clock: ClockAndIds,
): Step[] {
  const { table } = tables;
  const ends = runs.map((before) => ({
    before,
    after: endedRun(before.data, 'cancelled', reason, clock.now),
  }));
  return [
    ...ends.flatMap((end) => {
      const [record, ...others] = uncountedSteps(tables, end, clock);
      // Where a step of a run cancels others, only its own run that moved ends the attempt.
      return record === undefined ? [] : [{ ...record, otherwise: () => new VersionConflict() }, ...others];
    }),
    ...[...Map.groupBy(ends, ({ after }) => after.workflowId).values()].flatMap((some) =>
      countingSteps(table, some),
    ),
  ];
}

/** Counts the runs of one workflow out of what waits, and of what runs for the contact. */
function countingSteps(
  table: TableWriter,
  ends: readonly { readonly before: Stored<Run>; readonly after: Run }[],
): Step[] {
  const sums = new Map<string, Record<string, number>>();
  for (const { before, after } of ends) {
    for (const [nodeId, change] of statisticsChanges(before.data, after, [])) {
      sums.set(nodeId, added(sums.get(nodeId) ?? {}, change));
    }
  }
  return ends.slice(0, 1).flatMap(({ after: run }) => [
    ...statisticsSteps(table, run, sums),
    table.updateStep(enrolmentKey(run.contactId, run.workflowId), {
      update: 'ADD running :more',
      values: { more: -ends.length },
    }),
  ]);
}

function added(sum: Record<string, number>, change: StatisticsChange): Record<string, number> {
  const sums = Object.entries(change).map(([name, by]) => [name, (sum[name] ?? 0) + by] as const);
  return { ...sum, ...Object.fromEntries(sums) };
}
