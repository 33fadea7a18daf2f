import { expect, test } from 'vitest';
import { nodeTypes } from '../../functions/workflows/model/definition/catalogue.ts';
import { after, day } from '../../shared/kernel/time.ts';
import { readStatistics } from '../../shared/workflows/run-statistics.ts';
import { eventsBetween } from '../harness/events.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { inARow, prepareRuns } from './advancing.ts';
import { withEveryFault } from './request-faults.ts';
import { nodeOfType, stepCases } from './step-cases.ts';

const tenants = await setUpTenants();
const { product, admin } = tenants;
const runs = await prepareRuns(tenants);
const faulty = setUpFaultyTable();

const none = { passed: 0, failed: 0, skipped: {}, waiting: 0 };

/** What is kept of a contact and told of it because of a run, without ids and times: what happened, and how often. */
async function effectsOf({ contactId, runId, since }: Begun) {
  const { table } = runs;
  const rows = await table.list({ partition: ['CONTACT', contactId] });
  // Not those of the runs before, which would be more each time.
  const events = await Promise.all(
    [since, later(since)].map((from) => eventsBetween(product, admin.organizationId, from, from)),
  );
  const stepRecords = await runs.stepRecords(runId);
  const run = await runs.run(runId);
  return {
    rows: rows.map(({ key }) => key.sort[0]).sort(),
    events: events
      .flat()
      .filter(
        ({ causedBy, data }) =>
          causedBy?.runId === runId || (data as { readonly runId?: string }).runId === runId,
      )
      .map(({ event }) => event)
      .sort(),
    steps: stepRecords.map(({ n, nodeId, status, reason, resultIds = {} }) => ({
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
  const workflow = await runs.newWorkflow(inARow([await nodeOfType(tenants, runs, type)]));
  return async () => {
    const since = new Date();
    const contact = await tenants.newContact({ firstName: 'Ada' });
    const contactId = contact._id;
    await stepCases[type]?.before?.(tenants, runs, contactId);
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
      const comesAgain = await runs.advance(runId, since);
      // What could not take its step yet is delivered again at the same time.
      return (await runs.run(runId))?.status === 'waiting' ? runs.advance(runId, later(since)) : comesAgain;
    };
    /** A run that goes on is in the queue: nobody else would deliver it again. */
    const requireFollowUp = async ({ runId }: Begun, comesAgain: unknown) => {
      const queued = product.queues.workflowRuns.take(({ body }) => body.includes(runId));
      const { status } = (await runs.run(runId)) ?? {};
      const isLost = status === 'running' && !comesAgain && queued.length === 0;
      expect(isLost, 'the run goes on, and nothing in the queue says so').toBe(false);
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
      requireFollowUp,
      // The client repeats the reads of all types in the same way.
      isEveryRead: type === 'addNote',
    });
    // Nobody posts the request here.
    const end = type === 'httpRequest' ? 'failed' : 'finished';
    expect((await runs.run(usual?.runId ?? ''))?.status).toBe(end);
    const { passed, failed, skipped, waiting } =
      (await readStatistics(runs.table, usual?.workflowId ?? '')).get('n1') ?? none;
    expect(passed + failed + Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(tried);
    expect(waiting).toBe(0);
  });
}
