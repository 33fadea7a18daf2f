import { encodeTime } from 'ulid';
import { expect, test } from 'vitest';
import { nodeTypes } from '../../functions/workflows/model/nodes/node-types.ts';
import { after, day, hourOf } from '../../shared/kernel/time.ts';
import { eventKey, type StoredEvent } from '../../shared/live/outbox.ts';
import { joined } from '../../shared/table/key.ts';
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
  /** Whether it is tried only with requests that write. */
  readonly isOfWrites?: boolean;
}

const disturbances: Readonly<Record<string, Disturbance>> = {
  'is throttled': { fault: throttled, isOfWrites: true },
  'meets a conflict': { fault: conflict, isOfWrites: true },
  'is done, and its reply is lost': { fault: replyLost, isOfWrites: true },
  'does not arrive, because the process ends': { fault: endedBefore, isEnd: true },
  'is done, and the process ends before the reply': { fault: endedAfter, isEnd: true, isOfWrites: true },
};

/** Counts the requests to the table, and disturbs the one with this number. @returns the commands in their order. */
function disturb(number: number, { fault, isEnd = false }: Disturbance): readonly CommandName[] {
  const sent: CommandName[] = [];
  for (const command of commands) {
    faulty.always(command, (next, input) => {
      const count = sent.push(command);
      if (count === number) {
        return fault(next, input);
      }
      return isEnd && count > number ? endedBefore(next, input) : next();
    });
  }
  return sent;
}

const none = { passed: 0, failed: 0, skipped: {}, waiting: 0 };

const undisturbed: Disturbance = { fault: (next) => next() };

/** What is kept of a contact and told of it because of a run, without ids and times: what happened, and how often. */
async function effectsOf({ contactId, runId, since }: Begun) {
  const { table } = runs;
  const rows = await table.list({ partition: ['CONTACT', contactId] });
  const events: StoredEvent[] = [];
  for (const hour of new Set([since, new Date(), after(new Date(), 2 * day)].map(hourOf))) {
    const { partition, sort } = eventKey(hour, encodeTime(since.getTime()));
    const range = { partition, between: { from: joined(sort), to: joined(['EVENT', 'Z']) } };
    events.push(...(await table.list<StoredEvent>(range)).map(({ data }) => data));
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

  };
}

interface Begun {
  readonly workflowId: string;
  readonly contactId: string;
  readonly runId: string;
  readonly since: Date;
}

/** Makes contacts with runs of one workflow that are about to take a step of a type. */
async function beginningsOf(type: string, since: Date): Promise<() => Promise<Begun>> {
  const workflow = await runs.newWorkflow(inARow([await nodeOfType(world, runs, type)]));
  return async () => {
    const contact = await world.newContact({ firstName: 'Ada' });
    const contactId = contact._id;
    await stepCases[type]?.before?.(world, runs, contactId);
    const tokens = [{ n: 1, nodeId: 'n1' }];
    const runId = await runs.start(workflow, contactId, { at: since, tokens });
    return { contactId, workflowId: workflow._id, runId, since };
  };
}

test('Faults are tried at the steps of all types of nodes', () => {
  expect(Object.keys(stepCases).sort()).toEqual(
    nodeTypes.map(({ type }) => type).filter((type) => type !== 'trigger'),
  );
});

for (const type of Object.keys(stepCases)) {
  test(`A run with a step ${type} does all of it once, whatever happens to whichever of its requests`, async () => {
    const start = new Date();
    const begin = await beginningsOf(type, start);
    /** Takes the step, and what follows it after a wait. */
    const advance = async (runId: string) => {
      await runs.advance(runId, start);
      if ((await runs.run(runId))?.finishedAt === undefined) {
        await runs.advance(runId, after(start, 2 * day));
      }
    };
    const disturbed = async (runId: string, number: number, disturbance: Disturbance) => {
      const sent = disturb(number, disturbance);
      await advance(runId).catch(() => undefined);
      faulty.clear();
      return sent;
    };
    const usual = await begin();
    const sent = await disturbed(usual.runId, 0, undisturbed);
    let tried = 1;
    const expected = await effectsOf(usual);
    expect(expected.status).toBe('finished');

    for (const [name, disturbance] of Object.entries(disturbances)) {
      for (const [index, command] of sent.entries()) {
        if (disturbance.isOfWrites && !/Write|Put|Update/.test(command)) {
          continue;
        }
        const begun = await begin();
        tried += 1;
        await disturbed(begun.runId, index + 1, disturbance);
        // What was not done is tried again.
        await advance(begun.runId);
        const found = await effectsOf(begun);
        expect(found, `when request ${index + 1} (${command}) ${name}`).toEqual(expected);
      }
    }
    const { passed, failed, skipped, waiting } = (await statisticsOf(runs.table, usual.workflowId)).get('n1') ?? none;
    expect(passed + failed + Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(tried);
    expect(waiting).toBe(0);
  });
}
