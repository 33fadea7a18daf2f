import { second, timestamp } from '../../../../shared/kernel/time.ts';
import type { Stored } from '../../../../shared/table/table.ts';
import { nextToken, openWaits, woken } from '../engine/lifecycle.ts';
import { RunMoved } from './gated-table.ts';
import { type Receipt, type Run, runKey } from './run.ts';
import { type StepContext, takeStep } from './take-step.ts';

/** What one turn of a run may take, before others have theirs. */
const turn = { steps: 25, time: 5 * second } as const;

/** Times that a turn decides anew because somebody else changed the run. */
const mostMoves = 10;

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
export async function advanceRun(context: StepContext, runId: string, most = turn): Promise<Turn> {
  const { table } = context.tables;
  const start = performance.now();
  const receipts: Receipt[] = [];
  let stored: Stored<Run> | undefined = await table.read(runKey(runId));
  let moves = 0;
  while (stored !== undefined) {
    const run = awake(stored.data, context.now);
    const token = isTooEarly(run, context.now) ? undefined : nextToken(run);
    if (token === undefined) {
      return { isLeft: false, receipts, run: stored.data };
    }
    if (receipts.length >= most.steps || performance.now() - start >= most.time) {
      return { isLeft: true, receipts, run: stored.data };
    }
    try {
      const taken = await takeStep(context, stored, run, token);
      receipts.push(...(taken?.receipt === undefined ? [] : [taken.receipt]));
      stored = taken?.run;
    } catch (error) {
      moves += 1;
      if (!(error instanceof RunMoved) || moves > mostMoves) {
        throw error;
      }
      stored = await table.read(runKey(runId));
    }
  }
  return { isLeft: false, receipts };
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
