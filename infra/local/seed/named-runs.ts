import createWorkflow from '../../../functions/workflows/create-workflow.ts';
import toggleWorkflow from '../../../functions/workflows/toggle-workflow.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, day, hour } from '../../../shared/kernel/time.ts';
import type { Past } from './past.ts';
import type { SeedContact } from './seed-contacts.ts';
import { workflowsFor } from './workflow-runs.ts';

type Node = readonly [id: string, type: string, data: object];

/** A graph of these nodes, one after the other. */
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

/** The text of this workflow fails: its owner does not have the number that it is to be sent from. */
const followUp = chainOf([
  ['start', 'trigger', { event: 'manual.started' }],
  ['pause', 'delay', { value: 1, unit: 'days' }],
  ['text', 'sendMessage', { content: 'Hello {{firstName}}', from: '+15005550006' }],
  ['later', 'delay', { value: 4, unit: 'weeks' }],
]);

const former = chainOf([
  ['start', 'trigger', { event: 'manual.started' }],
  ['move', 'moveApplication', { stage: 'In review' }],
  ['pause', 'delay', { value: 1, unit: 'days' }],
]);

/** Runs of two workflows for Hedy Lamarr: one that somebody starts by hand, and one that has been disabled since. */
export async function runNamedWorkflows(past: Past, contacts: readonly SeedContact[]): Promise<void> {
  const { now } = past;
  const ago = (time: number) => after(now, -time);
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
      ...{ at: ago(30 * day), by, ids: [undefined, _id] },
      body: { ...body, enabled: true },
    });
  }
  const hedy = contacts.find(({ _id }) => _id === demo.hedy);
  if (hedy === undefined) {
    throw new Error('The demo has no contact whom workflows run for');
  }
  const { start, passTime } = workflowsFor(past, hedy);
  const followUps = { workflowId: demo.followUpWorkflow, by };
  const formers = { workflowId: demo.formerWorkflow, by };
  await start({ ...formers, runId: demo.finishedWorkflowRun, at: ago(42 * hour) });
  await start({ ...followUps, runId: demo.failedWorkflowRun, at: ago(38 * hour) });
  await passTime();
  await start({ ...followUps, runId: demo.workflowRun, at: ago(15 * hour) });
  await start({
    ...{ ...formers, at: ago(12 * hour) },
    runId: `${past.random.idAt(ago(12 * hour))}${demo.hedy}`,
  });
  await start({ ...followUps, runId: demo.spareWorkflowRun, at: ago(10 * hour) });
  await past.run(toggleWorkflow, {
    ...{ at: ago(6 * hour), by, path: { id: demo.formerWorkflow } },
    body: { enabled: false },
  });
}
