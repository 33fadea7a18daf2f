import { idAt } from '../../../../shared/kernel/id-at.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import type { StepOperations } from '../../../../shared/kernel/step-operations.ts';
import { advanceRun } from '../advancing/advance-run.ts';
import { openWaits, woken } from '../engine/lifecycle.ts';
import type { Plan } from '../graph/plan.ts';
import { changeRun } from '../runs/change-run.ts';
import type { Receipt, Run } from '../runs/run.ts';
import type { RunTables } from '../runs/run-steps.ts';

/** How a wait for an event ends, by its node; with `timeout` unless stated. */
export type Decisions = Readonly<Record<string, 'received' | 'timeout'>>;

export interface Rehearsal extends Pick<ClockAndIds, 'newId'> {
  /** Overlays: nothing else may be given. */
  readonly tables: RunTables;
  readonly stepOperations: StepOperations;
  readonly plan: Plan;
  readonly decisions: Decisions;
  /** How many more steps may be taken. */
  stepsLeft(): number;
  /** Whether there is no time for more steps. */
  isLate(): boolean;
}

export interface SimulatedStep extends Receipt {
  /** What it would send or write, as it would read. */
  readonly text?: string;
}

export interface SimulatedRun {
  readonly run: Run;
  readonly steps: readonly SimulatedStep[];
}

/**
 * Takes the steps of a run that was started in these tables, by the same code as a real one, with a clock that jumps to the end of each
 * wait: until the run ends, or there is no room or time for more.
 */
export async function simulatedRun(rehearsal: Rehearsal, started: Run): Promise<SimulatedRun> {
  const { tables, plan, stepOperations } = rehearsal;
  const steps: SimulatedStep[] = [];
  let now = new Date(started.startedAt);
  let run = started;
  while (run.finishedAt === undefined && rehearsal.stepsLeft() > steps.length && !rehearsal.isLate()) {
    const listening = listeningTo(stepOperations);
    const turn = await advanceRun(
      {
        ...clockAt(rehearsal, now),
        ...{ tables, stepOperations: listening },
        planOf: async ({ revision }) => ({ revision, plan }),
      },
      run._id,
      { steps: 1, time: Number.POSITIVE_INFINITY },
    );
    steps.push(...turn.receipts.map((receipt) => withText(receipt, listening.text())));
    if (turn.run === undefined) {
      break;
    }
    run = turn.run;
    if (!turn.isLeft && run.finishedAt === undefined) {
      const end = await nextEnd(rehearsal, run, now);
      if (end === undefined) {
        break;
      }
      now = end;
    }
  }
  return { run, steps };
}

/** Ids and times are those of the time that the clock shows. */
export function clockAt({ newId }: Pick<ClockAndIds, 'newId'>, now: Date): ClockAndIds {
  return { now, newId: () => idAt(now, newId()) };
}

/** When the next wait ends: at once if its event is decided to come. Undefined if nothing waits for a time. */
async function nextEnd(rehearsal: Rehearsal, run: Run, now: Date): Promise<Date | undefined> {
  const { tables, decisions } = rehearsal;
  const waits = openWaits(run).filter(({ wait }) => wait?.until !== undefined);
  const received = waits.find(
    ({ nodeId, wait }) => wait?.awaits !== undefined && decided(decisions, nodeId) === 'received',
  );
  if (received !== undefined) {
    const change = (before: Run) => ({ after: woken(before, received, 'received') });
    await changeRun(tables, run._id, change, clockAt(rehearsal, now));
    return now;
  }
  const ends = waits.flatMap(({ wait }) => wait?.until ?? []).sort();
  return ends[0] === undefined ? undefined : new Date(ends[0]);
}

const decided = (decisions: Decisions, nodeId: string) =>
  Object.hasOwn(decisions, nodeId) ? decisions[nodeId] : undefined;

/** The operations, which remember the text of the last request. */
function listeningTo(operations: StepOperations): StepOperations & { text(): string | undefined } {
  let text: string | undefined;
  return {
    run(name, request, context) {
      text = textIn(request.body);
      return operations.run(name, request, context);
    },
    text: () => text,
  };
}

/** What people would read of a request: the text of a message, a note or a notification. */
function textIn(body: unknown): string | undefined {
  const { content, note, message } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return [content, note, message].find((one) => typeof one === 'string');
}

function withText(receipt: Receipt, text: string | undefined): SimulatedStep {
  const isTried = receipt.status === 'passed' || receipt.status === 'failed';
  return isTried && text !== undefined ? { ...receipt, text } : receipt;
}
