import { idAt } from '../../../../shared/kernel/id-at.ts';
import { risingIds } from '../../../../shared/kernel/rising-ids.ts';
import { second } from '../../../../shared/kernel/time.ts';
import type { Stored } from '../../../../shared/table/table.ts';
import { nextTokenAt, withEndedWaits } from '../execution/engine.ts';
import { type Run, runKey, type StoredStepRecord } from './run.ts';
import { retryOnRunConflict } from './run-conflict.ts';
import { takeStep } from './take-step.ts';
import type { StepPorts } from './write-step.ts';

/** One batch of a run may take this much before other runs have theirs: `time` is in milliseconds. */
interface BatchLimits {
  readonly steps: number;
  readonly time: number;
}

const usualBatch: BatchLimits = { steps: 25, time: 5 * second };

export interface StepBatch {
  /** Whether the run could go on at once. */
  readonly isLeft: boolean;
  /** The steps that were taken, oldest first. */
  readonly stepRecords: readonly StoredStepRecord[];
  /** Absent if the run was deleted with its contact. */
  readonly run?: Run;
}

/** The ports and the clock of a batch. */
export interface BatchPorts extends StepPorts {
  /** Returns the time for each step; by default always `now`, as in a simulation. */
  clock?(): Date;
}

/**
 * Takes the steps of a run, one after the other, until all its tokens wait, it ends, or its batch is over. Any number of batches may be
 * taken at the same time: each step happens in one of them.
 * @throws what made a step impossible: it is to be tried again later.
 */
export async function advanceRun(
  { clock, ...batchPorts }: BatchPorts,
  runId: string,
  most = usualBatch,
): Promise<StepBatch> {
  const { table } = batchPorts.tables;
  const stepRecords: StoredStepRecord[] = [];
  let known: Stored<Run> | undefined;
  let now = batchPorts.now;
  let start: number | undefined;
  // The records that its steps make are listed in the order of the steps, also those of the same millisecond.
  const newId = risingIds(() => idAt(now, batchPorts.newId()));

  /** Whether there is more to do; what was read or written last is known, until somebody else changes it. */
  const takeNext = async (): Promise<StepBatch | undefined> => {
    now = clock?.() ?? now;
    const ports: StepPorts = { ...batchPorts, now, newId };
    const stored = known ?? (await table.read(runKey(runId)));
    known = undefined;
    const run = stored && withEndedWaits(stored.data, now);
    const token = run && nextTokenAt(run, now);
    if (stored === undefined || run === undefined || token === undefined) {
      return { isLeft: false, stepRecords, ...(stored && { run: stored.data }) };
    }
    // Counted from the first step: with a slow table, a batch would otherwise end before it has taken any step, again and again.
    const time = performance.now();
    start ??= time;
    if (stepRecords.length >= most.steps || time - start >= most.time) {
      return { isLeft: true, stepRecords, run: stored.data };
    }
    const taken = await takeStep(ports, stored, run, token);
    if (taken === undefined) {
      return { isLeft: false, stepRecords };
    }
    known = taken.run;
    stepRecords.push(...(taken.stepRecord === undefined ? [] : [taken.stepRecord]));
    return undefined;
  };

  for (;;) {
    const over = await retryOnRunConflict(table, takeNext);
    if (over !== undefined) {
      return over;
    }
  }
}
