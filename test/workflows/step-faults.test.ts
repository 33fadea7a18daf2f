import { expect, test } from 'vitest';
import { nodeTypes } from '../../functions/workflows/model/nodes/node-types.ts';
import { after, day, hourOf } from '../../shared/kernel/time.ts';
import { eventKey, type StoredEvent } from '../../shared/live/outbox.ts';
import { statisticsOf } from '../../shared/workflows/run-statistics.ts';
import { type CommandName, conflict, type Fault, replyLost, throttled } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import { inARow, runsOf } from './advancing.ts';
import { nodeOfType, stepCases } from './step-cases.ts';

const world = await setUpWorld();
const runs = await runsOf(world);
const faulty = setUpFaultyTable();

const commands: readonly CommandName[] = [
  'GetItemCommand',
  'BatchGetItemCommand',
  'PutItemCommand',
  'UpdateItemCommand',
  'TransactWriteItemsCommand',
  'BatchWriteItemCommand',
  'QueryCommand',
];

/** The process ends before a request arrives, or before the reply to it does. */
const ended = () => Object.assign(new Error('The process ended'), { name: 'ProcessEnded' });
const endedBefore: Fault = async () => {
  throw ended();
};
const endedAfter: Fault = async (next) => {
  await next();
  throw ended();
};

interface Disturbance {
  readonly fault: Fault;
  /** Whether all further requests fail, too: nobody is there any more. */
  readonly isEnd?: boolean;
}

const disturbances = {
  'is throttled': { fault: throttled },
  'meets a conflict': { fault: conflict },
  'is done, and its reply is lost': { fault: replyLost },
  'is the last before which the process ends': { fault: endedBefore, isEnd: true },
  'is the last, and the process ends before the reply': { fault: endedAfter, isEnd: true },
} as const satisfies Record<string, Disturbance>;

/** Counts the requests to the table, and disturbs the one with this number. */
function disturb(number: number, { fault, isEnd = false }: Disturbance): () => number {
  let count = 0;
  for (const command of commands) {
    faulty.always(command, (next, input) => {
      count += 1;
      if (count === number) {
        return fault(next, input);
      }
      return isEnd && count > number ? endedBefore(next, input) : next();
    });
  }
  return () => count;
}

const undisturbed: Disturbance = { fault: (next) => next() };

/** What is kept of a contact and told of it because of a run, without ids and times: what happened, and how often. */
async function effectsOf(workflowId: string, contactId: string, runId: string) {
  const { table } = runs;
  const rows = await table.list({ partition: ['CONTACT', contactId] });
  const now = new Date();
  const events: StoredEvent[] = [];
  for (const hour of new Set([hourOf(now), hourOf(after(now, day * 2)), hourOf(after(now, -60_000))])) {
    const { partition } = eventKey(hour, '-');
    events.push(...(await table.list<StoredEvent>({ partition })).map(({ data }) => data));
  }
  const receipts = await runs.receipts(runId);
  const run = await runs.run(runId);
  return {
    rows: rows.map(({ key }) => key.sort[0]).sort(),
    events: events
      .filter(
        ({ causedBy, data }) =>
          causedBy?.runId === runId || (data as { readonly runId?: string }).runId === runId,
      )
      .map(({ event }) => event)
      .sort(),
    steps: receipts.map(({ n, nodeId, status, reason, things = {} }) => ({
      ...{ n, nodeId, status, reason, things: Object.keys(things) },
    })),
    status: run?.status,
    statistics: await statisticsOf(table, workflowId),
  };
}

/** A new contact and a run for it that is about to begin. */
async function newRun(type: string) {
  const contact = await world.newContact({ firstName: 'Ada' });
  const contactId = contact._id;
  await stepCases[type]?.before?.(world, runs, contactId);
  const workflow = await runs.newWorkflow(inARow([await nodeOfType(world, runs, type)]));
  const runId = await runs.start(workflow, contactId);
  return { contactId, workflowId: workflow._id, runId };
}

test('Faults are tried at the steps of all types of nodes', () => {
  expect(Object.keys(stepCases).sort()).toEqual(
    nodeTypes.map(({ type }) => type).filter((type) => type !== 'trigger'),
  );
});

for (const type of Object.keys(stepCases)) {
  test(`A run with a step ${type} does all of it once, whatever happens to whichever of its requests`, async () => {
    const usual = await newRun(type);
    const start = new Date();
    const later = after(start, 2 * day);
    const advance = async (runId: string, number: number, disturbance: Disturbance) => {
      faulty.clear();
      const counted = disturb(number, disturbance);
      await runs.advance(runId, start);
      await runs.advance(runId, later);
      const count = counted();
      faulty.clear();
      return count;
    };
    const requests = await advance(usual.runId, 0, undisturbed);
    const expected = await effectsOf(usual.workflowId, usual.contactId, usual.runId);
    expect(expected.status).toBe('finished');

    for (const [name, disturbance] of Object.entries(disturbances)) {
      for (let number = 1; number <= requests; number += 1) {
        const { workflowId, contactId, runId } = await newRun(type);
        await advance(runId, number, disturbance);
        // What was not done is tried again.
        await runs.advance(runId, start);
        await runs.advance(runId, later);
        const found = await effectsOf(workflowId, contactId, runId);
        expect(found, `when request ${number} ${name}`).toEqual(expected);
      }
    }
  });
}
