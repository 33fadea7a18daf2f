import createWorkflow from '../../../functions/workflows/create-workflow.ts';
import { compilePlan } from '../../../functions/workflows/model/compiling/compile-plan.ts';
import { advanced } from '../../../functions/workflows/model/engine/advanced.ts';
import type { Outcome } from '../../../functions/workflows/model/engine/decision.ts';
import { nextToken, started } from '../../../functions/workflows/model/engine/lifecycle.ts';
import { enrolmentKey } from '../../../functions/workflows/model/runs/enrolment.ts';
import { type Run, runKey } from '../../../functions/workflows/model/runs/run.ts';
import { runSteps, startSteps } from '../../../functions/workflows/model/runs/run-steps.ts';
import toggleWorkflow from '../../../functions/workflows/toggle-workflow.ts';
import * as demo from '../../../shared/demo-ids.ts';
import { after, day, minute, timestamp } from '../../../shared/kernel/time.ts';
import type { Past } from './past.ts';

type Node = readonly [id: string, type: string, data: object];

/** One node after the other. */
function chainOf(nodes: readonly Node[]) {
  return {
    nodes: nodes.map(([id, type, data], index) => ({ id, type, position: { x: 0, y: 140 * index }, data })),
    edges: nodes.slice(1).map(([id], index) => {
      const source = nodes[index]?.[0] ?? '';
      return { id: `${source}-${id}`, source, target: id };
    }),
    settings: { reentry: 'always' },
  };
}

const followUp = chainOf([
  ['start', 'trigger', { event: 'manual.started' }],
  ['pause', 'delay', { value: 3, unit: 'days' }],
  ['move', 'moveApplication', { stage: 'In review' }],
  ['later', 'delay', { value: 4, unit: 'weeks' }],
]);

const former = chainOf([
  ['start', 'trigger', { event: 'manual.started' }],
  ['text', 'sendMessage', { content: 'Hello {{firstName|there}}, how do you like it?' }],
  ['pause', 'delay', { value: 2, unit: 'weeks' }],
]);

/** A run of the past: what became of its steps, one after the other, minutes apart. */
interface PastRun {
  readonly _id: string;
  readonly workflowId: string;
  readonly graph: object;
  readonly at: Date;
  readonly outcomes: readonly Outcome[];
}

/** Runs of two workflows for Hedy Lamarr: one that somebody starts, and one that is disabled by now. */
export async function runNamedWorkflows(past: Past): Promise<void> {
  const { now } = past;
  const ago = (days: number) => after(now, -days * day);
  const by = demo.admin;
  const samples = [
    {
      _id: demo.followUpWorkflow,
      body: { name: 'Follow up', description: 'For contacts that somebody picks.', ...followUp },
    },
    {
      _id: demo.formerWorkflow,
      body: { name: 'First impressions', description: 'Until the new survey.', ...former },
    },
  ];
  for (const { _id, body } of samples) {
    await past.run(createWorkflow, {
      ...{ at: ago(30), by, ids: [undefined, _id] },
      body: { ...body, enabled: true },
    });
  }
  const passed: Outcome = { status: 'passed' };
  const waiting = (until: Date): Outcome => ({ status: 'waiting', until: timestamp(until) });
  const followUps = { workflowId: demo.followUpWorkflow, graph: followUp };
  const formers = { workflowId: demo.formerWorkflow, graph: former };
  const skipped: Outcome = { status: 'skipped', reason: 'outside_hours' };
  const runs: PastRun[] = [
    { _id: demo.workflowRun, ...followUps, at: ago(2.5), outcomes: [passed, waiting(after(now, day / 2))] },
    {
      ...{ _id: demo.spareWorkflowRun, ...followUps, at: ago(2) },
      outcomes: [passed, waiting(after(now, day))],
    },
    {
      ...{ _id: demo.failedWorkflowRun, ...followUps, at: ago(6) },
      outcomes: [
        ...[passed, waiting(ago(3)), passed],
        { status: 'failed', reason: 'The contact has no application.' },
      ],
    },
    {
      ...{ _id: demo.finishedWorkflowRun, ...formers, at: ago(28) },
      outcomes: [passed, skipped, waiting(ago(14)), passed],
    },
    {
      ...{ _id: `${past.random.idAt(ago(10))}${demo.hedy}`, ...formers, at: ago(10) },
      outcomes: [passed, skipped, waiting(after(now, 4 * day))],
    },
  ];
  for (const run of runs) {
    await runOnce(past, run);
  }
  await past.run(toggleWorkflow, {
    ...{ at: ago(9), by, path: { id: demo.formerWorkflow } },
    body: { enabled: false },
  });
}

async function runOnce(past: Past, { _id, workflowId, graph, at, outcomes }: PastRun): Promise<void> {
  const table = past.table(demo.organization);
  const tables = { table, platform: past.platform };
  const plan = compilePlan(JSON.stringify(graph));
  const clock = (now: Date) => ({ now, newId: () => past.random.idAt(now) });
  let run: Run = started(
    {
      ...{ _id, workflowId, contactId: demo.hedy, userId: demo.admin, revision: 1 },
      ...{ triggerId: 'start', topic: 'manual.started', chain: [workflowId] },
    },
    at,
  );
  await table.commit([
    ...startSteps(tables, run, { contactId: demo.hedy, at: timestamp(at), userId: demo.admin }, clock(at)),
    table.updateStep(enrolmentKey(demo.hedy, workflowId), {
      update: 'SET lastStarts = :at ADD running :one',
      values: { at: timestamp(at), one: 1 },
    }),
  ]);
  for (const [index, outcome] of outcomes.entries()) {
    // After a wait, at its end.
    const { wait } = run.tokens[0] ?? {};
    const stepAt = wait?.until === undefined ? after(at, index * minute) : new Date(wait.until);
    const token = nextToken(run) ?? run.tokens[0];
    const before = await table.read(runKey(_id));
    if (token === undefined || before === undefined) {
      throw new Error(`The demo run ${_id} has ended before its step ${index + 1}`);
    }
    const next = advanced(plan, run, token, outcome, stepAt);
    run = next.run;
    await table.commit(runSteps(tables, { before, after: run, receipts: [next.receipt] }, clock(stepAt)));
  }
}
