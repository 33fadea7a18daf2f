import { encodeTime } from 'ulid';
import { expect, test } from 'vitest';
import { nodeTypes } from '../../functions/workflows/model/nodes/node-types.ts';
import { after, day, hourOf } from '../../shared/kernel/time.ts';
import { eventKey, type StoredEvent } from '../../shared/live/outbox.ts';
import { joined } from '../../shared/table/key.ts';
import { statisticsOf } from '../../shared/workflows/run-statistics.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import { inARow, runsOf } from './advancing.ts';
import { withEveryFault } from './request-faults.ts';
import { nodeOfType, stepCases } from './step-cases.ts';

const world = await setUpWorld();
const runs = await runsOf(world);
const faulty = setUpFaultyTable();

const none = { passed: 0, failed: 0, skipped: {}, waiting: 0 };

/** What is kept of a contact and told of it because of a run, without ids and times: what happened, and how often. */
async function effectsOf({ contactId, runId, since }: Begun) {
  const { table } = runs;
  const rows = await table.list({ partition: ['CONTACT', contactId] });
  const events: StoredEvent[] = [];
  // Not those of the runs before, which would be more each time.
  for (const from of [since, later(since)]) {
    const { partition, sort } = eventKey(hourOf(from), encodeTime(from.getTime()));
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
    steps: receipts.map(({ n, nodeId, status, reason, resultIds = {} }) => ({
      ...{ n, nodeId, status, reason, resultIds: Object.keys(resultIds) },
    })),
    status: run?.status,
  };
}

interface Begun {
  readonly workflowId: string;
  readonly contactId: string;
  readonly runId: string;
  /** The time of the first step. */
  readonly since: Date;
}

/** The time of what follows a wait. */
const later = (since: Date) => after(since, 2 * day);

/** Makes contacts with runs of one workflow that are about to take a step of a type. */
async function beginningsOf(type: string): Promise<() => Promise<Begun>> {
  const workflow = await runs.newWorkflow(inARow([await nodeOfType(world, runs, type)]));
  return async () => {
    const since = new Date();
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
    const begin = await beginningsOf(type);
    /** Takes the step, and what follows it after a wait. */
    const advance = async ({ runId, since }: Begun) => {
      await runs.advance(runId, since);
      if ((await runs.run(runId))?.finishedAt === undefined) {
        await runs.advance(runId, later(since));
      }
    };
    let usual: Begun | undefined;
    const tried = await withEveryFault(faulty, {
      begin,
      work: advance,
      async outcome(begun) {
        usual ??= begun;
        return effectsOf(begun);
      },
      sameOutcome: (found, expected, when) => expect(found, when).toEqual(expected),
      // The steps of all types read in the same way.
      isEveryRead: type === 'addNote',
    });
    expect((await runs.run(usual?.runId ?? ''))?.status).toBe('finished');
    const { passed, failed, skipped, waiting } =
      (await statisticsOf(runs.table, usual?.workflowId ?? '')).get('n1') ?? none;
    expect(passed + failed + Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(tried);
    expect(waiting).toBe(0);
  });
}
