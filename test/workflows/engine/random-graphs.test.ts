import { expect, test } from 'vitest';
import { compilePlan } from '../../../functions/workflows/model/definition/compile-plan.ts';
import { findNode, type Plan } from '../../../functions/workflows/model/definition/plan.ts';
import { endedRun, runAfterStep } from '../../../functions/workflows/model/execution/advanced.ts';
import { decide } from '../../../functions/workflows/model/execution/decide.ts';
import type { Outcome } from '../../../functions/workflows/model/execution/decision.ts';
import {
  isOver,
  nextToken,
  openWaits,
  startingRun,
  wokenRun,
} from '../../../functions/workflows/model/execution/lifecycle.ts';
import type { Run, StoredStepRecord, Token } from '../../../functions/workflows/model/runs/run.ts';
import { runDueTime } from '../../../shared/workflows/due-run.ts';
import { type Randomness, randomness } from '../../harness/randomness.ts';
import { type NaiveRun, naiveRun, naiveStep, naiveWake } from './naive-run.ts';
import { event, type RandomGraph, randomGraph } from './random-graph.ts';
import { contextWith } from './step-context.ts';

/** More of them by `SEEDS`, each a seed. */
const graphs = Math.max(2_000, Number(process.env.SEEDS ?? 0));

test('Runs of random graphs end, each token once, with the step records of a naive model', () => {
  const ends: Record<string, number> = {};
  for (let seed = 1; seed <= graphs; seed += 1) {
    const { run, naive } = playedOut(randomGraph(seed), seed);
    const end = [run.status, run.reason ?? ''].join(' ').trim();
    ends[end] = (ends[end] ?? 0) + 1;
    expect(naive.ended.toSorted(byNumber), `of the tokens of ${seed}`).toEqual(
      [...naive.begun].filter((n) => !naive.positions.has(n)),
    );
  }
  // Otherwise the graphs would be too much alike.
  expect(Object.keys(ends).toSorted()).toEqual([
    'cancelled',
    'failed It did not work.',
    'failed too_long',
    'finished',
    'finished stopped',
  ]);
  expect(Math.min(...Object.values(ends))).toBeGreaterThan(graphs / 100);
});

const byNumber = (one: number, other: number) => one - other;

interface Played {
  readonly run: Run;
  readonly naive: NaiveRun;
}

/** Plays a run to its end, in random order, and compares it with the naive one at each step. */
function playedOut(graph: RandomGraph, seed: number): Played {
  const random = randomness(-seed);
  const plan = compilePlan(JSON.stringify(graph));
  const naive = naiveRun(graph);
  const clock = { now: Date.parse('2026-11-22T12:00:00.000Z') };
  let run = startingRun(
    {
      ...{ _id: `run-${seed}`, workflowId: 'w', contactId: 'c', userId: 'u', revision: 1 },
      ...{ triggerId: graph.nodes[0]?.id ?? '', topic: 'contact.created', chain: ['w'] },
    },
    new Date(clock.now),
  );
  while (!isOver(run)) {
    if (run.steps > 150 && seed % 10 !== 0) {
      // A tenth of the graphs that go round in a circle is enough.
      return { run: cancelled(run, naive, new Date(clock.now)), naive };
    }
    const wakes = openWaits(run).filter(({ wait }) => wait?.until !== undefined);
    if (wakes.length > 0 && (nextToken(run) === undefined || random.chance(0.1))) {
      const token = random.pick(wakes);
      const received = token.wait?.awaits !== undefined && random.chance(0.5);
      run = wokenRun(run, token, received ? 'received' : 'over');
      naiveWake(naive, token.n, received);
    } else {
      run = stepped(plan, run, graph, naive, random, clock);
    }
    expectSame(run, naive, seed);
  }
  return { run, naive };
}

function cancelled(run: Run, naive: NaiveRun, at: Date): Run {
  naive.ended.push(...naive.positions.keys());
  naive.positions.clear();
  const after = endedRun(run, 'cancelled', undefined, at);
  expectClockToKnow(after, naive);
  return after;
}

function stepped(
  plan: Plan,
  run: Run,
  graph: RandomGraph,
  naive: NaiveRun,
  random: Randomness,
  clock: { now: number },
): Run {
  clock.now += 1;
  const now = new Date(clock.now);
  const token = random.chance(0.5) ? nextToken(run) : random.pick(goingOn(run));
  if (token === undefined) {
    throw new Error(`Nothing goes on, and the run is ${run.status}`);
  }
  const context = contextWith({ event });
  const { outcome } = decide(plan, run, token, context, undefined, now);
  expectText(text(decide(plan, run, token, context, undefined, now).outcome), text(outcome));
  const fails = random.chance(0.06);
  const { run: after, stepRecord } = runAfterStep(
    plan,
    run,
    token,
    performed(plan, token, outcome, fails),
    now,
  );
  naiveStep(graph, naive, token.n, stepRecord.way, fails);
  expectText(told(stepRecord), `${naive.path.length}|${naive.path.at(-1)}`);
  return after;
}

const goingOn = ({ tokens }: Run) =>
  tokens.filter(({ wait }) => wait === undefined || wait.ended !== undefined);

/** What comes of a step: of one with an effect, the engine cannot know. */
function performed(plan: Plan, { nodeId }: Token, outcome: Outcome, fails: boolean): Outcome {
  const isWork = findNode(plan, nodeId)?.type === 'work' && outcome.status === 'skipped';
  if (!isWork) {
    return outcome;
  }
  return fails ? { status: 'failed', reason: 'It did not work.' } : { status: 'passed' };
}

const told = ({ n, nodeId, type, status, way = '', reason = '' }: StoredStepRecord) =>
  [n, nodeId, type, status, way, reason].join('|');

const text = (value: unknown) => JSON.stringify(value);

/** There are millions of comparisons, of which `expect` takes the most time. */
function expectText(found: string, wanted: string): void {
  if (found !== wanted) {
    expect(found).toBe(wanted);
  }
}

function expectSame(run: Run, naive: NaiveRun, seed: number): void {
  const { status, reason, tokens } = run;
  const positions = new Map(naive.positions);
  for (const token of tokens) {
    const position = positions.get(token.n);
    if (position?.node === token.nodeId && position.state === stateOf(token)) {
      positions.delete(token.n);
    }
  }
  const hasSamePositions = positions.size === 0 && tokens.length === naive.positions.size;
  if (!hasSamePositions || status !== naive.status || reason !== naive.reason) {
    const engine = tokens.map((token) => `${token.n} ${stateOf(token)} ${token.nodeId}`);
    const wanted = [...naive.positions].map(([n, { node, state }]) => `${n} ${state} ${node}`);
    expect([seed, status, reason, ...engine.toSorted()]).toEqual([
      ...[seed, naive.status, naive.reason],
      ...wanted.toSorted(),
    ]);
  }
  expectClockToKnow(run, naive);
}

function stateOf({ wait }: Token): string {
  if (wait === undefined || wait.ended !== undefined) {
    return 'goes';
  }
  return wait.until === undefined ? 'at join' : 'timed';
}

/** The clock knows of a run exactly while one of its tokens waits for a time. */
function expectClockToKnow(run: Run, naive: NaiveRun): void {
  const waits = [...naive.positions.values()].some(({ state }) => state === 'timed');
  expectText(`${run.status} ${runDueTime(run) !== undefined}`, `${run.status} ${waits && !isOver(run)}`);
}
