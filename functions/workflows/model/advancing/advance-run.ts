import { idsAfter } from '../../../../shared/kernel/ids-after.ts';
import { second, timestamp } from '../../../../shared/kernel/time.ts';
import { type Stored, VersionConflict } from '../../../../shared/table/table.ts';
import { nextToken, openWaits, woken } from '../engine/lifecycle.ts';
import { RunMoved } from '../runs/gated-table.ts';
import { type Receipt, type Run, runKey } from '../runs/run.ts';
import { type StepContext, takeStep } from './take-step.ts';

/** What one turn of a run may take, before others have theirs: `time` is in milliseconds. */
interface TurnLimits {
  readonly steps: number;
  readonly time: number;
}

const usualTurn: TurnLimits = { steps: 25, time: 5 * second };

export interface Turn {
  /** Whether the run could go on at once. */
  readonly isLeft: boolean;
  /** What was done, oldest first. */
  readonly receipts: readonly Receipt[];
  /** Absent for a run that is gone, with its contact. */
  readonly run?: Run;
}

/**
 * Takes the steps of a run, one after the other, until all its tokens wait, it ends, or its turn is over. Any number of turns may be
 * taken at the same time: each step happens in one of them.
 * @throws what made a step impossible: it is to be tried again later.
 */
export async function advanceRun(given: StepContext, runId: string, most = usualTurn): Promise<Turn> {
  // What its steps make is listed in the order of the steps, also what they make in the same millisecond.
  const context: StepContext = { ...given, newId: idsAfter(given.newId()) };
  const { table } = context.tables;
  const start = performance.now();
  const receipts: Receipt[] = [];
  let known: Stored<Run> | undefined;

  /** Whether there is more to do; what was read or written last is known, until somebody else changes it. */
  const goOn = async (): Promise<Turn | undefined> => {
    const stored = known ?? (await table.read(runKey(runId)));
    known = undefined;
    const run = stored && awake(stored.data, context.now);
    const token = run && !isTooEarly(run, context.now) ? nextToken(run) : undefined;
    if (stored === undefined || run === undefined || token === undefined) {
      return { isLeft: false, receipts, ...(stored && { run: stored.data }) };
    }
    if (receipts.length >= most.steps || performance.now() - start >= most.time) {
      return { isLeft: true, receipts, run: stored.data };
    }
    const taken = await takeStep(context, stored, run, token).catch((error: unknown) => {
      throw error instanceof RunMoved ? new VersionConflict() : error;
    });
    if (taken === undefined) {
      return { isLeft: false, receipts };
    }
    known = taken.run;
    receipts.push(...(taken.receipt === undefined ? [] : [taken.receipt]));
    return undefined;
  };

  for (;;) {
    const over = await table.optimistically(goOn);
    if (over !== undefined) {
      return over;
    }
  }
}

/** The run in which the waits have ended whose time has come. */
export function awake(run: Run, now: Date): Run {
  const isOver = (until: string | undefined) => until !== undefined && until <= timestamp(now);
  return openWaits(run)
    .filter(({ wait }) => isOver(wait?.until))
    .reduce((before, token) => woken(before, token, 'over'), run);
}

/** A run whose start was put off does nothing before it. */
function isTooEarly({ steps, startsAt }: Run, now: Date): boolean {
  return steps === 0 && startsAt !== undefined && startsAt > timestamp(now);
}
