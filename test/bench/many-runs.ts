import endWorkflowRuns from '../../functions/workflows/end-workflow-runs.ts';
import { started } from '../../functions/workflows/model/execution/lifecycle.ts';
import { type Run, runKey } from '../../functions/workflows/model/runs/run.ts';
import { startActions } from '../../functions/workflows/model/runs/run-actions.ts';
import { type RunsToEnd, runsToEndKey } from '../../functions/workflows/model/runs/runs-to-end.ts';
import { childId } from '../../shared/contacts/contact.ts';
import { idAt } from '../../shared/kernel/id-at.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { after, day, timestamp } from '../../shared/kernel/time.ts';
import { joined } from '../../shared/table/key.ts';
import { organizationSpace } from '../../shared/table/spaces.ts';
import { clockOf } from '../harness/clock.ts';
import { arrange, type World } from '../harness/world.ts';
import { deliver, inARow, runsOf } from '../workflows/advancing.ts';
import type { WorkflowRecord } from '../workflows/client.ts';
import type { Verdict } from './budgets.ts';
import { timed } from './figures.ts';
import { figure, textTable } from './table.ts';

/** What was measured of an action on many runs. */
interface Measurement {
  readonly name: string;
  readonly runs: number;
  readonly ms: number;
}

export interface ManyRuns {
  readonly measurements: readonly Measurement[];
  readonly verdicts: readonly Verdict[];
}

/** Runs that are written or read at the same time. */
const width = 50;

/** The most invocations of the clock after an outage: each wakes as many runs as its time allows. */
const mostClockRuns = 50;

type Bench = Awaited<ReturnType<typeof runsOf>>;

/** Writes runs that wait three weeks, each for another contact; their waits end ten milliseconds apart. */
async function writeWaiting(
  { rep }: World,
  bench: Bench,
  { _id: workflowId }: WorkflowRecord,
  count: number,
) {
  const { tables, newId } = bench.contextAt(new Date());
  const begin = new Date();
  const writeOne = async (index: number): Promise<string> => {
    const now = after(begin, index * 10);
    const contactId = newId();
    const origin = { triggerId: 'trigger', topic: 'contact.deleted', chain: [workflowId] } as const;
    const _id = childId(contactId, idAt(now, newId()));
    const run: Run = {
      ...started({ _id, workflowId, contactId, userId: rep.userId, revision: 1, ...origin }, now),
      status: 'waiting',
      steps: 2,
      tokens: [
        { n: 1, nodeId: 'n1', wait: { since: timestamp(now), until: timestamp(after(now, 21 * day)) } },
      ],
    };
    await tables.table.commit(startActions(tables, run, {}, { now, newId }));
    return _id;
  };
  const ids: string[] = [];
  while (ids.length < count) {
    const some = Math.min(width, count - ids.length);
    ids.push(
      ...(await Promise.all(Array.from({ length: some }, (_, index) => writeOne(ids.length + index)))),
    );
  }
  return { ids, begin };
}

async function readAll({ table }: Bench, ids: readonly string[]): Promise<(Run | undefined)[]> {
  const found: (Run | undefined)[] = [];
  for (let from = 0; from < ids.length; from += 100) {
    const some = await table.readMany(ids.slice(from, from + 100).map(runKey));
    found.push(...some.map((stored) => stored?.data));
  }
  return found;
}

const waitingGraph = inARow([{ type: 'delay', data: { value: 3, unit: 'weeks' } }]);

/** Measures the waits of many runs: the clock while none is over, the clock after an outage of a day, and the next step of each run. */
export async function measureWaits(world: World, count: number): Promise<ManyRuns> {
  const bench = await runsOf(world);
  const clock = clockOf(world.product);
  const workflow = await bench.newWorkflow(waitingGraph);
  const { ms: writing, result } = await timed(() => writeWaiting(world, bench, workflow, count));
  const { ids, begin } = result;
  const early = await clock.run(after(begin, 20 * day));
  const late = after(begin, 22 * day);
  let woken = 0;
  const { ms: waking } = await timed(async () => {
    for (let run = 0; run < mostClockRuns && woken < count; run += 1) {
      woken += (await clock.run(late)).woken ?? 0;
    }
  });
  const again = await clock.run(late);
  const { ms: stepping } = await timed(async () => {
    for (let from = 0; from < count; from += 20) {
      const messages = ids.slice(from, from + 20).map((runId) => ({
        body: JSON.stringify({ organizationId: world.rep.organizationId, runId, tries: 0 }),
      }));
      await deliver(messages, late, bench.providers);
    }
  });
  const found = await readAll(bench, ids);
  const finished = found.filter((run) => run?.status === 'finished' && run.steps === 3).length;
  const left = (await clock.waitingUntil(after(late, 400 * day))).filter(
    ({ kind }) => kind === 'workflowRun',
  );
  return {
    measurements: [
      { name: 'begin to wait', runs: count, ms: writing },
      { name: 'end of the wait by the clock', runs: woken, ms: waking },
      { name: 'last step', runs: count, ms: stepping },
    ],
    verdicts: [
      exactly('waits that end before their time', early.woken ?? 0, 0),
      exactly('waits that end after an outage of a day', woken, count),
      exactly('waits that end twice', again.woken ?? 0, 0),
      exactly('runs that finished, with one step each', finished, count),
      exactly('entries that are still due', left.length, 0),
    ],
  };
}

/** Measures the end of many runs with their workflow, in as many batches as needed. */
export async function measureEnds(world: World, count: number): Promise<ManyRuns> {
  const { product, rep } = world;
  const bench = await runsOf(world);
  const workflow = await bench.newWorkflow(waitingGraph);
  const { ids } = await writeWaiting(world, bench, workflow, count);
  const path = { id: workflow._id };
  const toggle = { token: rep.token, path, body: { enabled: false }, query: { cancelRuns: 'true' } };
  const { ms: request } = await timed(() => arrange(product.call('toggle-workflow', toggle)));
  const { clock, ports } = newInvocation(systemRuntime, product.providers);
  const key = runsToEndKey(workflow._id, 1);
  const place = {
    partition: joined([...organizationSpace(rep.organizationId), ...key.partition]),
    sort: joined(key.sort),
  };
  let batches = 0;
  const { ms: ending } = await timed(async () => {
    for (;;) {
      const data: RunsToEnd | undefined = (await bench.table.read(key))?.data;
      if (data === undefined) {
        return;
      }
      batches += 1;
      const change = { ...place, data, before: undefined, at: undefined, attributes: {} };
      await endWorkflowRuns.run([change], { ...ports(endWorkflowRuns.uses, undefined), ...clock });
    }
  });
  const found = await readAll(bench, ids);
  const ended = found.filter((run) => run?.status === 'cancelled' && run.reason === 'workflow_disabled');
  return {
    measurements: [
      { name: 'the request that ends them all', runs: 1, ms: request },
      { name: `end of a run, in ${batches} batches`, runs: count, ms: ending },
    ],
    verdicts: [exactly('runs that ended with their workflow', ended.length, count)],
  };
}

function exactly(promise: string, measured: number, expected: number): Verdict {
  return {
    promise: `${promise}: ${figure(expected)}`,
    measured: figure(measured),
    kept: measured === expected,
  };
}

export function manyRunsTable({ measurements }: ManyRuns): string {
  return textTable(
    ['', 'runs', 's', 'a second'],
    measurements.map(({ name, runs, ms }) => [
      name,
      figure(runs),
      figure(ms / 1_000, 1),
      figure((runs * 1_000) / Math.max(1, ms)),
    ]),
  );
}
