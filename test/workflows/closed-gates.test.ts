import { expect, test } from 'vitest';
import { giveUp } from '../../functions/workflows/model/runs/change-run.ts';
import type { Fault } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { node, plansClient, waitingGraph } from './plans-client.ts';
import { runsClient } from './runs-client.ts';
import { nextMonth, waitingWorkflowsIn } from './waiting-workflows.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const { organizationId, userId } = rep;
const faults = setUpFaultyTable();
const stream = await tableStream(product);
const client = runsClient(product, rep);
const plans = plansClient(product, organizationId);
const { workflows, runs, toggle, disableAndCancel, newEnabled, newContactId, notesOf, waitingRuns } =
  await waitingWorkflowsIn(tenants);

/** The notes of a contact and the state of its run, whose second step was decided before `act`, and is committed after it. */
async function decidedBefore(workflowId: string, act: () => Promise<void>) {
  const revision = (await plans.revisionOf(workflowId)) ?? 0;
  const { contactId, ids } = await waitingRuns(workflowId, 1, revision);
  const [runId = ''] = ids;
  let steps = 0;
  await runs.advance(runId, nextMonth(), {
    async planOf(run) {
      const found = await runs.planOf(run);
      steps += 1;
      if (steps === 2) {
        await act();
      }
      return found;
    },
  });
  expect(steps).toBe(2);
  return { contactId, notes: await notesOf(contactId), status: (await runs.read(runId))?.status };
}

const withoutEffect = { notes: [], status: 'cancelled' };

test('A step that was decided before a workflow is disabled with its runs, and is committed after it, has no effect', async () => {
  const workflowId = await newEnabled();
  for (const act of [disableAndCancel, workflows.remove]) {
    await toggle(workflowId, { enabled: true });
    const found = await decidedBefore(workflowId, async () => {
      expectStatus(await act(workflowId), 200);
    });
    expect(found).toMatchObject(withoutEffect);
  }
});

/** A graph like that of the others, whose note has no text. */
const failingGraph = {
  ...waitingGraph,
  nodes: waitingGraph.nodes.map((one) =>
    one.type === 'addNote' ? { ...one, data: { note: '{{event.nothing}}' } } : one,
  ),
};
const followsFailures = { nodes: [node('start', 'trigger', { event: 'run.failed' })], enabled: true };

test('A step that fails after its workflow is disabled with its runs, or deleted, notifies nobody: its run is cancelled', async () => {
  const follower = await workflows.created(followsFailures);
  for (const act of [disableAndCancel, workflows.remove]) {
    const { _id } = await workflows.created({ ...failingGraph, enabled: true });
    const { contactId, status } = await decidedBefore(_id, async () => {
      expectStatus(await act(_id), 200);
    });
    await stream.settle();
    const found = await client.everyOfContact(contactId);
    expect([status, found.map(({ workflowId }) => workflowId)]).toEqual(['cancelled', [_id]]);
  }
  await arrange(workflows.remove(follower._id));
});

test('A run that is given up after its workflow is disabled with its runs, or deleted, is cancelled, and has not failed', async () => {
  const clock = { now: nextMonth(), newId: product.tableOf(organizationId).moment.newId };
  for (const [act, reason] of [
    [disableAndCancel, 'workflow_disabled'],
    [workflows.remove, 'workflow_deleted'],
  ] as const) {
    const workflowId = await newEnabled();
    const { ids } = await waitingRuns(workflowId, 1);
    expectStatus(await act(workflowId), 200);
    await giveUp(runs.tables, ids[0] ?? '', 'tries', clock);
    expect(await runs.read(ids[0] ?? '')).toMatchObject({ status: 'cancelled', reason });
  }
});

/** The gates of steps cannot be written. */
const gatesFail: Fault = async (next, input) => {
  const { pk, sk } = (input as { Key: Record<'pk' | 'sk', { S: string }> }).Key;
  if (pk.S.includes('#WORKFLOW_GATE#') && sk.S === 'STEPS') {
    throw new Error('The connection was lost');
  }
  return next();
};

async function failsToClose(act: () => Promise<{ status: number }>) {
  faults.always('UpdateItemCommand', gatesFail);
  expect((await act()).status).toBe(500);
  faults.clear();
}

test.each([
  ['disables a workflow with its runs', disableAndCancel, 200],
  ['deletes a workflow', workflows.remove, 404],
] as const)(
  'A request that %s and cannot close all gates fails, and closes them when it is sent again',
  async (_, act, again) => {
    const workflowId = await newEnabled();
    const found = await decidedBefore(workflowId, async () => {
      await failsToClose(() => act(workflowId));
      expectStatus(await act(workflowId), again);
    });
    expect(found).toMatchObject(withoutEffect);
  },
);

test('A request that ends runs closes gates that an earlier one left open, even if the workflow was enabled without a trigger meanwhile', async () => {
  const workflowId = await newEnabled();
  const found = await decidedBefore(workflowId, async () => {
    await failsToClose(() => disableAndCancel(workflowId));
    await arrange(workflows.update(workflowId, { nodes: [], enabled: true }));
    expectStatus(await disableAndCancel(workflowId), 200);
  });
  expect(found).toMatchObject(withoutEffect);
});

test('Where a request fails to close the gates of runs that it ended, what ends their records closes them', async () => {
  for (const act of [disableAndCancel, workflows.remove]) {
    const workflowId = await newEnabled();
    const start = async () =>
      runs.start({ workflowId, contactId: await newContactId(), userId, revision: 1 });
    await failsToClose(() => act(workflowId));
    await stream.settle();
    await expect(start()).rejects.toThrow('were ended');
  }
});

test('A start that was decided before a workflow is disabled with its runs, and is committed after it, starts nothing', async () => {
  const workflowId = await newEnabled();
  const contactId = await newContactId();
  expectStatus(await disableAndCancel(workflowId), 200);
  await expect(runs.start({ workflowId, contactId, userId, revision: 1 })).rejects.toThrow('were ended');
  expect(await client.everyOfContact(contactId)).toEqual([]);
});
