import advanceWorkflowRun from '../../functions/workflows/advance-workflow-run.ts';
import { advanceRun } from '../../functions/workflows/model/advancing/advance-run.ts';
import type { StepContext } from '../../functions/workflows/model/advancing/take-step.ts';
import { wakeRun } from '../../functions/workflows/model/advancing/wake-run.ts';
import { planOfRun } from '../../functions/workflows/model/plans/run-changes.ts';
import { ownersIn } from '../../functions/workflows/model/starts/owners.ts';
import { startByEvents } from '../../functions/workflows/model/starts/start-by-events.ts';
import type { Occurrence } from '../../functions/workflows/model/topics/topics.ts';
import { dueKeyOf, endStep } from '../../shared/due/due-entry.ts';
import { newInvocation, type Providers, systemRuntime } from '../../shared/kernel/invocation.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { after, day, minute, second, timestamp } from '../../shared/kernel/time.ts';
import { dueRun } from '../../shared/workflows/due-run.ts';
import { arrange, type World } from '../harness/world.ts';
import { inARow } from '../workflows/advancing.ts';
import { newWorkflow } from '../workflows/client.ts';
import { median, timed } from './figures.ts';
import { type NodeSample, nodeSamples } from './workflow-samples.ts';

/** What something that a run does consumes: all of it, and of that the write units of the operation that is its effect. */
export interface Deed {
  readonly name: string;
  readonly consumed: Consumption;
  readonly effect: number;
  /** Milliseconds, the median. */
  readonly ms: number;
}

export interface MeasuredWorkflows {
  /** Steps after which the run goes on at once. */
  readonly steps: readonly Deed[];
  /** Steps that begin a wait. */
  readonly waits: readonly Deed[];
  readonly others: readonly Deed[];
}

/** Runs of each sample. */
const times = 5;

/** What each type of node costs as a step in the middle of a run, and what the start, a wait and the end of a run do. */
export async function measureWorkflows(world: World): Promise<MeasuredWorkflows> {
  const bench = await benchOf(world);
  const all: (Deed & Pick<NodeSample, 'does'>)[] = [];
  for (const sample of await nodeSamples(world)) {
    const { type, does } = sample;
    all.push({ ...(await measured(type, () => bench.step(sample))), does });
  }
  return {
    steps: all.filter(({ does }) => does === 'passes'),
    waits: all.filter(({ does }) => does === 'waits'),
    others: [
      ...all.filter(({ does }) => does === 'ends'),
      await measured('start by an event', bench.start),
      await measured('end of a wait by the clock', bench.wake),
      await measured('first step after a wait', bench.goOn),
      await measured('last step (addNote)', bench.end),
    ],
  };
}

/** One try of a deed. */
type Try = Pick<Deed, 'consumed' | 'effect' | 'ms'>;

async function measured(name: string, attempt: () => Promise<Try>): Promise<Deed> {
  await attempt(); // What is read once a process is read now.
  const tries: Try[] = [];
  while (tries.length < times) {
    tries.push(await attempt());
  }
  const of = (key: keyof Consumption) => median(tries.map(({ consumed }) => consumed[key]));
  return {
    name,
    consumed: {
      requests: of('requests'),
      roundTrips: of('roundTrips'),
      readUnits: of('readUnits'),
      writeUnits: of('writeUnits'),
    },
    effect: median(tries.map(({ effect }) => effect)),
    ms: median(tries.map(({ ms }) => ms)),
  };
}

const { uses } = advanceWorkflowRun as unknown as {
  readonly uses: { organizations: 'write'; platform: 'write'; objects: 'plans'; stepOperations: 'run' };
};

/** A time after all that was arranged before: what happens in the same millisecond may move no entry of a list. */
const later = () => after(new Date(), second);

/** Something that a run waits for at the end, so that the step before it is not the last one. */
const rest = { type: 'delay', data: { value: 1, unit: 'days' } };

async function benchOf(world: World) {
  const { product, rep } = world;
  const { organizationId } = rep;
  const providers: Providers = {
    ...product.providers,
    objects: await product.objects.provider('plans'),
    queue: () => product.queues.workflowRuns,
  };

  /** What one invocation of the functions of runs gets, with the meter of what it consumes. */
  function invocationAt(now: Date) {
    const invocation = newInvocation({ ...systemRuntime, clock: () => now }, providers);
    const ports = invocation.ports(uses, undefined) as Ports<typeof uses>;
    const table = ports.organizations(organizationId);
    const objects = ports.objects(organizationId);
    const context: StepContext = {
      ...invocation.clock,
      tables: { table, platform: ports.platform },
      stepOperations: ports.stepOperations,
      planOf: (run) => planOfRun({ table, objects }, run),
    };
    return { invocation, context, table, objects, platform: ports.platform };
  }

  async function metered(now: Date, work: (of: ReturnType<typeof invocationAt>) => Promise<unknown>) {
    const of = invocationAt(now);
    const { ms } = await timed(() => work(of));
    return { consumed: of.invocation.consumed(), ms };
  }

  /** Starts a run of a workflow as an event would, and passes its trigger. */
  async function started(workflowId: string, contactId: string, now: Date): Promise<string> {
    const { start } = await startedBy(workflowId, contactId, now);
    const { body } = await product.call('list-workflow-runs', {
      token: rep.token,
      path: { id: workflowId },
      query: { contactId },
    });
    const [run] = body.data;
    if (start.started === 0 || run === undefined) {
      throw new Error(`The run did not start: ${JSON.stringify([start, body])}`);
    }
    await advanceRun(invocationAt(now).context, run._id, { steps: 1, time: day });
    return run._id;
  }

  async function startedBy(workflowId: string, contactId: string, now: Date) {
    const { data } = (await product.call('read-contact', { token: rep.token, path: { id: contactId } })).body;
    const occurrence: Occurrence = {
      topic: 'contact.created',
      eventId: `${workflowId}-${contactId}`,
      at: timestamp(now),
      contactId,
      people: [rep.userId],
      fields: { contactId, at: timestamp(now), source: data.source },
    };
    const figures = { started: 0 };
    const used = await metered(now, async ({ table, objects, platform, invocation }) => {
      const tables = { table, platform, objects, owners: ownersIn(table) };
      const { failures, started } = await startByEvents(tables, [occurrence], invocation.clock);
      if (failures.length > 0) {
        throw failures[0];
      }
      figures.started = started;
    });
    return { used, start: figures };
  }

  /** A workflow of these nodes that every new contact of this source starts; the units of a start with others are not its own. */
  async function workflowOf(nodes: readonly { type: string; data: Record<string, unknown> }[]) {
    const graph = inARow(nodes, 'contact.created');
    const { _id } = await newWorkflow(world, { enabled: true, ...graph });
    return {
      _id,
      disable: () =>
        arrange(
          product.call('toggle-workflow', { token: rep.token, path: { id: _id }, body: { enabled: false } }),
        ),
    };
  }

  /** The write units of an effect when its operation runs by itself, for another contact in the same state. */
  async function unitsAlone(
    { contact }: NodeSample,
    mine: readonly string[],
    effect: { operation: string; request: object } | undefined,
    userId: string,
  ): Promise<number> {
    if (effect === undefined) {
      return 0;
    }
    const { ids } = await contact();
    // The contact's last, because the ids of what belongs to it begin with its own.
    const request = mine.reduceRight(
      (text, id, index) => text.replaceAll(id, ids[index] ?? ''),
      JSON.stringify(effect.request),
    );
    const { consumed } = await metered(later(), ({ context, table }) =>
      context.stepOperations.run(effect.operation, JSON.parse(request), {
        caller: { userId, organizationId, role: rep.role, homeOrganizationId: organizationId },
        table,
        now: context.now,
        newId: context.newId,
      }),
    );
    return consumed.writeUnits;
  }

  return {
    async step(sample: NodeSample): Promise<Try> {
      const { contactId, ids } = await sample.contact();
      const now = later();
      const { _id, disable } = await workflowOf([{ type: sample.type, data: { ...sample.data } }, rest]);
      const runId = await started(_id, contactId, now);
      await disable();
      let effect: { operation: string; request: object } | undefined;
      const used = await metered(now, async ({ context }) => {
        const { stepOperations } = context;
        const told = {
          ...context,
          stepOperations: {
            run: (operation: string, request: object, of: never) => {
              effect = { operation, request };
              return stepOperations.run(operation, request, of);
            },
          } as typeof stepOperations,
        };
        const { receipts } = await advanceRun(told, runId, { steps: 1, time: day });
        const [receipt] = receipts;
        if (receipt === undefined || receipt.status === 'failed') {
          throw new Error(`The step ${sample.type} failed: ${JSON.stringify(receipt)}`);
        }
      });
      return { ...used, effect: await unitsAlone(sample, ids, effect, rep.userId) };
    },
    async start(): Promise<Try> {
      const { _id: contactId } = await world.newContact();
      const { _id, disable } = await workflowOf([rest]);
      const { used } = await startedBy(_id, contactId, new Date());
      await disable();
      return { ...used, effect: 0 };
    },
    async wake(): Promise<Try> {
      return (await waited()).woken;
    },
    async goOn(): Promise<Try> {
      const { dueAt, runId } = await waited();
      const used = await metered(dueAt, ({ context }) => advanceRun(context, runId, { steps: 1, time: day }));
      return { ...used, effect: 0 };
    },
    async end(): Promise<Try> {
      const now = new Date();
      const { _id: contactId } = await world.newContact();
      const data = { note: 'Call back' };
      const { _id, disable } = await workflowOf([{ type: 'addNote', data }]);
      const runId = await started(_id, contactId, now);
      await disable();
      const used = await metered(now, ({ context }) => advanceRun(context, runId));
      const { _id: another } = await world.newContact();
      const { consumed } = await metered(now, ({ context, table }) =>
        context.stepOperations.run(
          'create-note',
          { body: { contactId: another, ...data } },
          {
            caller: {
              userId: rep.userId,
              organizationId,
              role: rep.role,
              homeOrganizationId: organizationId,
            },
            table,
            now,
            newId: context.newId,
          },
        ),
      );
      return { ...used, effect: consumed.writeUnits };
    },
  };

  /** A run whose wait of a day the clock has ended. */
  async function waited() {
    const now = new Date();
    const { _id: contactId } = await world.newContact();
    const { _id, disable } = await workflowOf([rest, rest]);
    const runId = await started(_id, contactId, now);
    await disable();
    const { run } = await advanceRun(invocationAt(now).context, runId);
    const due = run && dueRun(organizationId, run);
    const entry = due && (await invocationAt(now).platform.read(dueKeyOf(due)));
    if (entry === undefined) {
      throw new Error('The run does not wait');
    }
    const dueAt = after(now, day + minute);
    const used = await metered(dueAt, ({ table, platform, invocation }) =>
      wakeRun(table, entry.data, { ...invocation.clock, end: endStep(platform, entry) }),
    );
    return { woken: { ...used, effect: 0 }, dueAt, runId };
  }
}
