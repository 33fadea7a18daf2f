import type { StepOperations } from '../../../../shared/events/step-operations.ts';
import { idAt } from '../../../../shared/kernel/id-at.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { after } from '../../../../shared/kernel/time.ts';
import type { TableWriter } from '../../../../shared/table/table.ts';
import type { Plan } from '../definition/plan.ts';
import { answeredRun, openWaits, wokenRun } from '../execution/engine.ts';
import { advanceRun } from '../runs/advance-run.ts';
import { changeRun } from '../runs/change-run.ts';
import type { HttpRequest, Run, StoredStepRecord } from '../runs/run.ts';
import type { RunTables } from '../runs/run-actions.ts';
import { canOwnerSee, ownersIn } from '../triggers/owners.ts';

/** How a wait for an event ends, by its node; with `timeout` unless stated. */
export type Decisions = Readonly<Record<string, 'received' | 'timeout'>>;

export interface Simulation extends Pick<ClockAndIds, 'newId'> {
  /** Overlays: nothing else may be given. */
  readonly tables: RunTables;
  readonly stepOperations: StepOperations;
  readonly plan: Plan;
  readonly decisions: Decisions;
  /** How many more steps may be taken. */
  stepsLeft(): number;
  /** Milliseconds for more steps. */
  timeLeft(): number;
}

export interface SimulatedStep extends StoredStepRecord {
  /** The text that it would send or write, as it would read. */
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
export async function simulateRun(simulation: Simulation, started: Run): Promise<SimulatedRun> {
  const { plan } = simulation;
  const { tables, stepOperations, textOf } = listeningTo(simulation);
  const steps: SimulatedStep[] = [];
  let now = new Date(started.startedAt);
  let run = started;
  for (;;) {
    const batch = await advanceRun(
      {
        ...clockAt(simulation, now),
        ...{ tables, stepOperations },
        planOf: async ({ revision }) => ({ revision, plan }),
      },
      run._id,
      { steps: simulation.stepsLeft() - steps.length, time: simulation.timeLeft() },
    );
    steps.push(...batch.stepRecords.map((stepRecord) => withText(stepRecord, textOf(stepRecord))));
    run = batch.run ?? run;
    const end = batch.isLeft ? undefined : await nextEnd(simulation, run, now);
    if (end === undefined) {
      return { run, steps };
    }
    now = end;
  }
}

/** Ids and times are those of the time that the clock shows. */
export function clockAt({ newId }: Pick<ClockAndIds, 'newId'>, now: Date): ClockAndIds {
  return { now, newId: () => idAt(now, newId()) };
}

/** When the next wait ends: at once if its event is decided to come. Undefined if the run has ended. */
async function nextEnd(simulation: Simulation, run: Run, now: Date): Promise<Date | undefined> {
  const { tables, decisions } = simulation;
  const waits = openWaits(run).filter(({ wait }) => wait?.until !== undefined);
  const received = waits.find(
    ({ nodeId, wait }) => wait?.awaits !== undefined && decided(decisions, nodeId) === 'received',
  );
  const { table } = tables;
  if (received !== undefined && (await canOwnerSee({ table, owners: ownersIn(table) }, run))) {
    // Later steps must be later than what came before, also by the ids of their records.
    const at = after(now, 1);
    const change = (before: Run) => ({ after: wokenRun(before, received, 'received') });
    await changeRun(tables, run._id, change, clockAt(simulation, at));
    return at;
  }
  const posted = waits.flatMap(({ wait }) => wait?.request ?? [])[0];
  if (posted !== undefined) {
    // Nothing is posted: the answer is the one that lets the run go on.
    const at = after(now, 1);
    const change = (before: Run) => ({ after: answeredRun(before, posted, { status: 200 }) });
    await changeRun(tables, run._id, change, clockAt(simulation, at));
    return at;
  }
  const ends = waits.flatMap(({ wait }) => wait?.until ?? []).sort();
  return ends[0] === undefined ? undefined : new Date(ends[0]);
}

const decided = (decisions: Decisions, nodeId: string) =>
  Object.hasOwn(decisions, nodeId) ? decisions[nodeId] : undefined;

/** The tables and operations, which remember the text of the request that belongs to each step record. */
function listeningTo({ tables, stepOperations }: Pick<Simulation, 'tables' | 'stepOperations'>) {
  const texts = new Map<number, string | undefined>();
  let last: { readonly text: string | undefined; n?: number } | undefined;
  const { table } = tables;
  const put: TableWriter['put'] = (key, data, options) => {
    if (key.sort[0] === 'HTTP_REQUEST') {
      const { n, url, body } = data as unknown as HttpRequest;
      texts.set(n, `POST ${url}\n${body}`);
    }
    if (key.sort[0] === 'STEP' && last !== undefined) {
      const { n } = data as unknown as StoredStepRecord;
      last.n ??= n;
      texts.set(n, last.n === n ? last.text : undefined);
    }
    return table.put(key, data, options);
  };
  const operations: StepOperations = {
    run(name, request, context) {
      last = { text: textIn(request.body) };
      return stepOperations.run(name, request, context);
    },
  };
  return {
    tables: { ...tables, table: { ...table, put } },
    stepOperations: operations,
    textOf: ({ n }: StoredStepRecord) => texts.get(n),
  };
}

/** The text of a request that people would read: the text of a message, a note or a notification, the name of an application. */
function textIn(body: unknown): string | undefined {
  const { content, note, message, name } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return [content, note, message, name].find((text) => typeof text === 'string');
}

function withText(stepRecord: StoredStepRecord, text: string | undefined): SimulatedStep {
  const isTried = stepRecord.status !== 'skipped';
  return isTried && text !== undefined ? { ...stepRecord, text } : stepRecord;
}
