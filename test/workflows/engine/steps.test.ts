import { expect, test } from 'vitest';
import { compilePlan } from '../../../functions/workflows/model/definition/compile-plan.ts';
import type { Plan } from '../../../functions/workflows/model/definition/plan.ts';
import { endedRun, runAfterStep } from '../../../functions/workflows/model/execution/advanced.ts';
import { decide, readExtra } from '../../../functions/workflows/model/execution/decide.ts';
import type { Outcome } from '../../../functions/workflows/model/execution/decision.ts';
import {
  nextToken,
  openWaits,
  retriedRun,
  startingRun,
  wokenRun,
} from '../../../functions/workflows/model/execution/lifecycle.ts';
import type { Run, Token } from '../../../functions/workflows/model/runs/run.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import { runDueTime } from '../../../shared/workflows/due-run.ts';
import { contextWith } from './step-context.ts';

const start = new Date('2026-11-22T12:00:00.000Z');

/** A graph in short: `start>a`, `a>b:true`. Nodes are triggers, which only pass, unless their data says otherwise. */
function graph(edges: readonly string[], data: Record<string, Record<string, unknown>> = {}): Plan {
  const drawn = edges.map((edge) => {
    const [source = '', target = '', sourceHandle] = edge.split(/[>:]/);
    return { source, target, sourceHandle };
  });
  const ids = new Set(drawn.flatMap(({ source, target }) => [source, target]));
  const nodes = [...ids]
    .filter((id) => id !== 'gone')
    .map((id) => ({ id, type: 'trigger', data: { event: 'contact.created' }, ...data[id] }));
  return compilePlan(JSON.stringify({ nodes, edges: drawn }));
}

const delay = { type: 'delay', data: { value: 1, unit: 'days' } };
const join = { data: { event: 'contact.created', join: 'all' } };

const newRun = () =>
  startingRun(
    {
      ...{ _id: 'r', workflowId: 'w', contactId: 'c', userId: 'u', revision: 1 },
      ...{ triggerId: 'start', topic: 'contact.created', chain: ['w'] },
    },
    start,
  );

const decided = (plan: Plan, run: Run, token: Token, at = start) =>
  decide(plan, run, token, contextWith(), undefined, at).outcome;

interface Going {
  readonly run: Run;
  readonly path: readonly string[];
}

/** Follows the run until all wait or it ends. `outcomes` replaces what comes of the steps at some nodes. */
function follow(plan: Plan, from: Run, at = start, outcomes: Record<string, Outcome> = {}): Going {
  const path: string[] = [];
  let run = from;
  for (let token = nextToken(run); token !== undefined; token = nextToken(run)) {
    const outcome = outcomes[token.nodeId] ?? decided(plan, run, token, at);
    const step = runAfterStep(plan, run, token, outcome, at);
    const { nodeId, status, way, reason } = step.stepRecord;
    path.push([nodeId, status, way, reason].filter((part) => part !== undefined).join(' '));
    run = step.run;
  }
  return { run, path };
}

test('Edges without a way fork, and a node that two tokens come to runs twice', () => {
  const { run, path } = follow(graph(['start>a', 'start>b', 'a>c', 'b>c']), newRun());
  expect(path).toEqual(['start passed', 'a passed', 'c passed', 'b passed', 'c passed']);
  expect(run).toMatchObject({ status: 'finished', tokens: [], steps: 5, tokenCount: 2 });
  expect(run.finishedAt).toBe(start.toISOString());
});

test('A join waits for all tokens that can still come to it, and passes once', () => {
  const plan = graph(['start>a', 'start>c', 'a>b', 'b>c', 'c>d'], { c: join });
  const { run, path } = follow(plan, newRun());
  expect(path).toEqual(['start passed', 'a passed', 'b passed', 'c waiting', 'c passed', 'd passed']);
  expect(run.status).toBe('finished');
});

test('A join goes on once the last token that could have come has ended elsewhere', () => {
  const plan = graph(['start>c', 'start>a', 'a>c:received', 'c>d'], { c: join, a: delay });
  const waits = follow(plan, newRun());
  expect(waits.path).toEqual(['start passed', 'c waiting', 'a waiting']);
  expect(waits.run.status).toBe('waiting');
  const [, second] = waits.run.tokens as [Token, Token];
  const { run, path } = follow(plan, wokenRun(waits.run, second, 'over'), after(start, day));
  expect(path).toEqual(['a passed', 'c passed', 'd passed']);
  expect(run.status).toBe('finished');
});

test('When each token waits at a join for another one, the join of the lowest passes', () => {
  const plan = graph(['start>a', 'start>b', 'a>b', 'b>a', 'a>end', 'b>end'], { a: join, b: join });
  const { path } = follow(plan, newRun(), start, { b: { status: 'passed', ends: 'token' } });
  expect(path.slice(0, 4)).toEqual(['start passed', 'a waiting', 'b passed', 'a passed']);
  const both = runAfterStep(plan, newRun(), { n: 1, nodeId: 'start' }, { status: 'passed' }, start).run;
  const one = runAfterStep(plan, both, both.tokens[0] as Token, { status: 'waiting' }, start).run;
  const stuck = runAfterStep(plan, one, one.tokens[1] as Token, { status: 'waiting' }, start).run;
  expect(stuck).toMatchObject({
    status: 'running',
    tokens: [
      { n: 1, nodeId: 'a', joined: true },
      { n: 2, nodeId: 'b' },
    ],
  });
});

test('An edge that leads nowhere is one skipped step, and other edges go on', () => {
  const { run, path } = follow(graph(['start>gone', 'start>a']), newRun());
  expect(path).toEqual(['start passed', 'gone skipped dangling_edge', 'a passed']);
  expect(run.status).toBe('finished');
});

test('A way without an edge is the default way, and no edge at all ends the token', () => {
  const plan = graph(['start>a', 'start>b:yes']);
  const going = (way: string) => follow(plan, newRun(), start, { start: { status: 'passed', way } }).path;
  expect(going('yes')).toEqual(['start passed yes', 'b passed']);
  expect(going('no')).toEqual(['start passed no', 'a passed']);
  expect(going('constructor')).toEqual(['start passed constructor', 'a passed']);
});

const fails: Outcome = { status: 'failed', reason: 'The template is empty.' };

test('A step that fails goes along `error`, and fails the run without it', () => {
  const caught = follow(graph(['start>a:error', 'start>b']), newRun(), start, { start: fails });
  expect(caught.path).toEqual(['start failed error The template is empty.', 'a passed']);
  expect(caught.run.status).toBe('finished');
  const { run } = follow(graph(['start>b']), newRun(), start, { start: fails });
  expect(run).toMatchObject({ status: 'failed', reason: 'The template is empty.' });
  expect(run.finishedAt).toBe(start.toISOString());
});

test('A failed run goes on from the step that failed, and its waits with it', () => {
  const plan = graph(['start>a', 'start>b'], { a: delay });
  const failed = follow(plan, newRun(), start, { b: fails }).run;
  expect(openWaits(failed)).toEqual([]);
  expect(nextToken(failed)).toBeUndefined();
  const again = retriedRun(failed) as Run;
  expect(again).not.toHaveProperty('reason');
  expect(again).not.toHaveProperty('finishedAt');
  expect(openWaits(again).map(({ nodeId }) => nodeId)).toEqual(['a']);
  const { run, path } = follow(plan, again);
  expect(path).toEqual(['b passed']);
  expect(run).toMatchObject({ status: 'waiting', steps: 4 });
});

test('Only a failed run that was not too long can be tried again', () => {
  const { run } = follow(graph(['start>a']), newRun());
  expect([retriedRun(run), retriedRun(newRun())]).toEqual([undefined, undefined]);
  expect(retriedRun(endedRun(newRun(), 'cancelled', undefined, start))).toBeUndefined();
  expect(retriedRun(follow(graph(['start>a', 'a>start']), newRun()).run)).toBeUndefined();
});

test('A stop ends the run, whatever waits', () => {
  const plan = graph(['start>a', 'start>b'], { a: delay, b: { type: 'stop', data: {} } });
  const { run } = follow(plan, newRun());
  expect(run).toMatchObject({ status: 'finished', reason: 'stopped', tokens: [] });
});

test('A run takes 1,000 steps and no more', () => {
  const { run } = follow(graph(['start>a', 'a>start']), newRun());
  expect(run).toMatchObject({ status: 'failed', reason: 'too_long', steps: 1_000, tokens: [] });
  const line = Array.from({ length: 999 }, (_, index) => `${index || 'start'}>${index + 1}`);
  expect(follow(graph(line), newRun()).run).toMatchObject({ status: 'finished', steps: 1_000 });
});

test('A run has 50 tokens at once and no more', () => {
  const fork = (count: number) =>
    follow(graph(Array.from({ length: count }, (_, index) => `start>${index}`)), newRun()).run;
  expect(fork(50)).toMatchObject({ status: 'finished', steps: 51 });
  expect(fork(51)).toMatchObject({ status: 'failed', reason: 'too_long', steps: 1 });
});

test('A run lasts a year and a day and no longer, whatever it waits for and whatever edges it has', () => {
  const plan = graph(['start>a', 'a>b', 'b>c', 'b>d:error'], {
    a: { type: 'delay', data: { value: 300, unit: 'days' } },
    b: { type: 'delay', data: { value: 300, unit: 'days' } },
  });
  const first = follow(plan, newRun()).run;
  const second = follow(plan, wokenRun(first, { n: 1 }, 'over'), after(start, 300 * day));
  const end = after(start, 366 * day);
  expect(second.run.tokens[0]?.wait?.until).toBe(end.toISOString());
  const { run, path } = follow(plan, wokenRun(second.run, { n: 1 }, 'over'), end);
  expect(path).toEqual(['b failed too_long']);
  expect(run).toMatchObject({ status: 'failed', reason: 'too_long', tokens: [] });
});

test('A wait ends once, by its time or its event, whichever comes first', () => {
  const data = { event: 'message.received', timeout: { value: 1, unit: 'days' } };
  const plan = graph(['start>a', 'a>b:received', 'a>c:timeout'], { a: { type: 'waitForEvent', data } });
  const { run } = follow(plan, newRun());
  const received = wokenRun(run, { n: 1 }, 'received');
  expect(follow(plan, wokenRun(received, { n: 1 }, 'over')).path).toEqual(['a passed received', 'b passed']);
  expect(follow(plan, wokenRun(run, { n: 1 }, 'over')).path).toEqual(['a passed timeout', 'c passed']);
  expect(wokenRun(run, { n: 7 }, 'over')).toBe(run);
  const ended = endedRun(run, 'cancelled', undefined, start);
  expect(wokenRun(ended, { n: 1 }, 'over')).toBe(ended);
});

test('A run is due when the first of its waits ends, and no longer once it has ended', () => {
  const plan = graph(['start>a', 'start>c', 'a>b', 'b>c'], { a: delay, b: delay, c: join });
  expect(runDueTime(newRun())).toBeUndefined();
  const first = follow(plan, newRun()).run;
  expect(runDueTime(first)).toBe(first.tokens.find(({ nodeId }) => nodeId === 'a')?.wait?.until);
  const woken = wokenRun(first, { n: 1 }, 'over');
  expect(runDueTime(woken)).toBeUndefined();
  const second = follow(plan, woken, after(start, day)).run;
  expect(runDueTime(second)).toBe(second.tokens.find(({ nodeId }) => nodeId === 'b')?.wait?.until);
  expect(runDueTime(endedRun(second, 'finished', 'goal', start))).toBeUndefined();
});

test('Nothing is read for a step that is decided without it', async () => {
  const table = new Proxy({}, { get: () => expect.unreachable('Nothing is read') }) as never;
  const plan = graph(['start>a'], { a: { type: 'sendMessage', data: { template: 't' } } });
  const run = { ...newRun(), tokens: [{ n: 1, nodeId: 'a' }] };
  const read = readExtra(plan, run, { n: 1, nodeId: 'a' }, contextWith(), { table, now: start });
  await expect(read).resolves.toBeUndefined();
  expect(decided(plan, run, { n: 1, nodeId: 'a' })).toEqual({ status: 'skipped', reason: 'contact_gone' });
});
