import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { compilePlan } from '../../functions/workflows/model/definition/compile-plan.ts';
import { openWaits, wokenRun } from '../../functions/workflows/model/execution/lifecycle.ts';
import { changeRun } from '../../functions/workflows/model/runs/change-run.ts';
import type { Run, StoredStepRecord } from '../../functions/workflows/model/runs/run.ts';
import { cachedReads } from '../../functions/workflows/model/simulation/cached-reads.ts';
import { emptyTable, overlayTable } from '../../functions/workflows/model/simulation/overlay-table.ts';
import type { Decisions } from '../../functions/workflows/model/simulation/simulated-run.ts';
import {
  simulatedOccurrence,
  simulateRuns,
} from '../../functions/workflows/model/simulation/simulated-runs.ts';
import { runIdFor } from '../../functions/workflows/model/triggers/start.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { after } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { type Randomness, randomness } from '../harness/randomness.ts';
import { inARow, prepareRuns } from './advancing.ts';
import type { WorkflowRecord } from './client.ts';

const tenants = await setUpTenants();
const { product, rep, otherRep } = tenants;
const runs = await prepareRuns(tenants);
const { table } = runs;

const other = await runs.newWorkflow(inARow([{ type: 'delay', data: { value: 9, unit: 'days' } }]));

/** A graph with steps of all kinds that a contact can go through without help from elsewhere. */
function anyGraph(random: Randomness) {
  const size = 4 + random.below(10);
  const nodes = Array.from({ length: size }, (_, index) => ({
    ...(index === 0 ? trigger : { id: `n${index}`, ...anyNode(random, index) }),
    position: { x: 0, y: 0 },
  }));
  const edges = Array.from({ length: Math.floor(size * 1.5) }, (_, index) => {
    const from = index < size - 1 ? index : random.below(size - 1);
    const ahead = random.chance(0.05)
      ? random.below(size)
      : from + 1 + random.below(Math.min(3, size - from - 1));
    const ways = waysOf[nodes[from]?.type ?? ''] ?? [];
    const sourceHandle = ways.length > 0 && random.chance(0.8) ? random.pick(ways) : undefined;
    return {
      id: `e${index}`,
      source: nodes[from]?.id ?? '',
      target: random.chance(0.04) ? 'nowhere' : (nodes[ahead]?.id ?? ''),
      ...(sourceHandle !== undefined && { sourceHandle }),
    };
  });
  return { nodes, edges, ...(random.chance(0.2) && { settings: { window: 'business_hours' } }) };
}

const trigger = { id: 'trigger', type: 'trigger', data: { event: 'manual.started' } };

const waysOf: Readonly<Record<string, readonly string[]>> = {
  condition: ['true', 'false'],
  switch: ['one', 'two'],
  split: ['a', 'b'],
  waitForEvent: ['received', 'timeout'],
  moveStage: ['error'],
  assign: ['error'],
};

function anyNode(random: Randomness, index: number): { type: string; data: Record<string, unknown> } {
  const tags = [random.pick(['one', 'two', 'three'])];
  const text = random.pick([
    'Hello {{firstName}}',
    '{{event.kind}} {{step.n1.status|nothing}}',
    '{{nobody}}',
    '',
  ]);
  const join = random.chance(0.2) ? { join: 'all' } : {};
  const node = random.pick<{ type: string; data?: Record<string, unknown> }>([
    { type: 'addTags', data: { tags } },
    { type: 'removeTags', data: { tags } },
    { type: 'updateContact', data: { set: random.pick([{ lastName: text }, { email: 'no address' }, {}]) } },
    { type: 'moveStage', data: { stage: random.pick(['Contacted', 'Won', 'Nowhere']) } },
    { type: 'assign', data: { userId: random.pick([rep.userId, otherRep.userId, 'nobody']) } },
    { type: 'assign', data: { roundRobin: [rep.userId, otherRep.userId] } },
    { type: 'addNote', data: { note: text } },
    { type: 'createReminder', data: { note: text, in: { value: index, unit: 'days' } } },
    { type: 'createApplication', data: { name: `Number ${index}` } },
    { type: 'moveApplication', data: { stage: random.pick(['In review', 'Nowhere']) } },
    { type: 'notifyUser', data: { message: text } },
    { type: 'sendMessage', data: { content: text } },
    { type: 'sendMessage', data: { template: 'gone' } },
    { type: 'resolveConversation' },
    { type: 'stopOthers' },
    { type: 'startWorkflow', data: { workflowId: random.pick([other._id, 'nobody']) } },
    { type: 'delay', data: { value: 1 + random.below(30), unit: random.pick(['minutes', 'days']) } },
    { type: 'waitForEvent', data: { event: 'message.received', timeout: { value: 2, unit: 'days' } } },
    {
      type: 'condition',
      data: { rules: [{ field: 'contact.tags', operator: 'equals', value: random.pick(['one', 'two']) }] },
    },
    {
      type: 'condition',
      data: { rules: [{ field: 'businessHours.open', operator: 'equals', value: true }] },
    },
    { type: 'switch', data: { field: 'event.kind', cases: ['one', 'two'] } },
    { type: 'split', data: { weights: { a: 1, b: 1 } } },
    { type: 'nobodyKnows' },
    ...(random.chance(0.3) ? [{ type: 'stop' }] : []),
  ]);
  return { type: node.type, data: { ...node.data, ...join } };
}

async function anyContact(random: Randomness): Promise<string> {
  const { _id } = await tenants.newContact({
    firstName: random.pick(['Ada', 'Grace']),
    tags: random.pick([[], ['one'], ['one', 'two']]),
  });
  if (random.chance(0.2)) {
    const path = { id: _id };
    await product.call('update-consent', { token: rep.token, path, body: { status: 'opted_out' } });
  }
  return _id;
}

/** What is compared of a step: all but the ids of what a real run makes. */
const told = ({ n, nodeId, type, status, way, reason, until, at }: StoredStepRecord) => ({
  ...{ n, nodeId, type, status, way, reason, until, at },
});

/** Follows a run by the function that advances it, with a clock that is moved to the end of each wait. */
async function realRun(runId: string, start: Date, decisions: Decisions): Promise<Run | undefined> {
  let now = start;
  for (;;) {
    await runs.advance(runId, now);
    const run = await runs.run(runId);
    const waits = openWaits(run).filter(({ wait }) => wait?.until !== undefined);
    const received = waits.find(({ nodeId }) => decisions[nodeId] === 'received');
    if (received !== undefined) {
      const { platform, newId } = runs.portsOf();
      now = after(now, 1);
      const change = (before: Run) => ({ after: wokenRun(before, received, 'received') });
      await changeRun({ table, platform }, runId, change, { now, newId });
      continue;
    }
    const [next] = waits.flatMap(({ wait }) => wait?.until ?? []).sort();
    if (next === undefined) {
      return run;
    }
    now = new Date(next);
  }
}

const documentOf = async ({ _id }: WorkflowRecord) =>
  (await product.call('read-workflow', { token: rep.token, path: { id: _id } })).body.data;

/** As many graphs as `SEEDS` says. */
const seeds = Array.from({ length: Number(process.env.SEEDS ?? 16) }, (_, index) => index + 1);

test('Simulated runs of random graphs come to the same steps, with the same reasons and times, as real ones', async () => {
  const types = new Map<string, Set<string>>();
  const ends = new Set<string>();
  for (const seed of seeds) {
    const random = randomness(seed);
    const [contactId, workflow] = await Promise.all([anyContact(random), runs.newWorkflow(anyGraph(random))]);
    const start = random.momentBetween(new Date('2027-01-01T00:00:00Z'), new Date('2027-02-01T00:00:00Z'));
    const waiting = workflow.nodes as { id: string; type: string }[];
    const decisions: Decisions = Object.fromEntries(
      waiting
        .filter(({ type }) => type === 'waitForEvent')
        .map(({ id }) => [id, random.pick(['received', 'timeout'])]),
    );
    const contact = await table.read(contactKey(contactId));
    if (contact === undefined) {
      throw new Error('The contact is missing');
    }
    const fields = { kind: random.pick(['one', 'two', 'three']) };
    const occurrence = simulatedOccurrence('manual.started', contact.data, {
      eventId: ulid(),
      userId: rep.userId,
      at: start,
      fields,
    });
    const { stepOperations, newId } = runs.portsOf();
    const { path, runs: simulated } = await simulateRuns(
      {
        ...{
          stepOperations,
          newId,
          decisions,
          plan: compilePlan(JSON.stringify(await documentOf(workflow))),
        },
        tables: { table: overlayTable(cachedReads(table)), platform: overlayTable(emptyTable<'platform'>()) },
        stepsLeft: () => 2_000,
        timeLeft: () => Number.POSITIVE_INFINITY,
      },
      { _id: workflow._id, userId: rep.userId },
      occurrence,
      contact.data,
    );
    const runId = runIdFor(occurrence, workflow._id, 'trigger');
    await runs.start(workflow, contactId, { _id: runId, at: start, event: occurrence.fields });
    const run = await realRun(runId, start, decisions);
    const stepRecords = await runs.stepRecords(runId);
    expect(path.map(told), `of seed ${seed}`).toEqual(stepRecords.map(told));
    expect(simulated[0], `of seed ${seed}`).toMatchObject({ status: run?.status });
    expect(simulated[0]?.reason).toBe(run?.reason);
    ends.add(run?.status ?? '');
    for (const { type, status } of stepRecords) {
      types.set(type, (types.get(type) ?? new Set()).add(status));
    }
  }
  // Otherwise the graphs would be too much alike.
  expect([...ends].sort()).toEqual(['failed', 'finished']);
  expect(types.size).toBeGreaterThan(18);
});
