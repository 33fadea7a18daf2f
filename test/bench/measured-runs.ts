import advanceWorkflowRun from '../../functions/workflows/advance-workflow-run.ts';
import type { Occurrence } from '../../functions/workflows/model/definition/topics.ts';
import { advanceRun } from '../../functions/workflows/model/runs/advance-run.ts';
import { postRequest } from '../../functions/workflows/model/runs/post-request.ts';
import { readRunPlan } from '../../functions/workflows/model/runs/run-changes.ts';
import { wakeRun } from '../../functions/workflows/model/runs/wake-run.ts';
import type { StepPorts } from '../../functions/workflows/model/runs/write-step.ts';
import { ownersIn } from '../../functions/workflows/model/triggers/owners.ts';
import { startByEvents } from '../../functions/workflows/model/triggers/start-by-events.ts';
import { dueKeyFor, endAction } from '../../shared/events/due-entry.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { newInvocation, type Providers, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { after, day, minute, second, timestamp } from '../../shared/kernel/time.ts';
import { dueRun } from '../../shared/workflows/due-run.ts';
import { arrange, type Tenants } from '../harness/tenants.ts';
import { inARow } from '../workflows/advancing.ts';
import { newWorkflow } from '../workflows/client.ts';
import { timed } from './figures.ts';
import type { NodeSample } from './workflow-samples.ts';

/** The units that one execution of a step consumes in all, and how many of the write units are those of its effect. */
export interface Try {
  readonly consumed: Consumption;
  readonly effect: number;
  /** Milliseconds of processor time. */
  readonly cpu: number;
}

/** Write units of a small row in a transaction. */
const unitsOfRow = 2;

const { uses } = advanceWorkflowRun as unknown as {
  readonly uses: { organizations: 'write'; platform: 'write'; objects: 'plans'; stepOperations: 'run' };
};

/** A time after everything arranged so far, because a change in the same millisecond may leave the entries of lists in place. */
const later = () => after(new Date(), second);

/** A wait at the end of a run, so that the step before it is not the last one. */
export const rest = { type: 'delay', data: { value: 1, unit: 'days' } };

/** Runs workflows of `rep`, and measures each step. */
export async function runsToMeasure(tenants: Tenants) {
  const { product, rep } = tenants;
  const { organizationId } = rep;
  const providers: Providers = {
    ...product.providers,
    objects: await product.objects.provider('plans'),
    queue: () => product.queues.workflowRuns,
  };

  /** The arguments of an invocation of the functions that advance runs, with a meter of what it consumes. */
  function invocationAt(now: Date) {
    const invocation = newInvocation({ ...systemRuntime, clock: () => now }, providers);
    const ports = invocation.ports(uses, undefined) as Ports<typeof uses>;
    const table = ports.organizations(organizationId);
    const objects = ports.objects(organizationId);
    const context: StepPorts = {
      ...invocation.clock,
      tables: { table, platform: ports.platform },
      stepOperations: ports.stepOperations,
      planOf: (run) => readRunPlan({ table, objects }, run),
    };
    return { invocation, context, table, objects, platform: ports.platform };
  }

  async function metered(now: Date, work: (of: ReturnType<typeof invocationAt>) => Promise<unknown>) {
    const of = invocationAt(now);
    const { cpu } = await timed(() => work(of));
    return { consumed: of.invocation.consumed(), cpu };
  }

  /** Takes the step that begins a run's wait. @returns the entry of the wait for the clock. */
  async function waiting(runId: string, now: Date) {
    const { context, platform } = invocationAt(now);
    const { run } = await advanceRun(context, runId);
    const due = run && dueRun(organizationId, run);
    const entry = due && (await platform.read(dueKeyFor(due)));
    if (entry === undefined) {
      throw new Error('The run does not wait');
    }
    return entry;
  }

  /** Ends a wait as the clock does. */
  function wake(entry: Awaited<ReturnType<typeof waiting>>, dueAt: Date) {
    return metered(dueAt, ({ table, platform, invocation }) =>
      wakeRun(table, entry.data, { ...invocation.clock, end: endAction(platform, entry) }),
    );
  }

  /** Starts a run of a workflow by an event, and takes the step of its trigger. */
  async function started(workflowId: string, contactId: string, now: Date): Promise<string> {
    const { start } = await startedBy([appearance(workflowId, contactId, now)], now);
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

  /** The event that a new contact from the source of the workflow was created. */
  function appearance(workflowId: string, contactId: string, now: Date): Occurrence {
    return {
      topic: 'contact.created',
      eventId: `${workflowId}-${contactId}`,
      at: timestamp(now),
      contactId,
      people: [rep.userId],
      fields: { contactId, at: timestamp(now), source: 'website' },
    };
  }

  /** Starts the runs of these occurrences, which arrive in one batch of the stream. */
  async function startedBy(occurrences: readonly Occurrence[], now: Date) {
    const figures = { started: 0 };
    const used = await metered(now, async ({ table, objects, platform, invocation }) => {
      const tables = { table, platform, objects, owners: ownersIn(table) };
      const { failures, started } = await startByEvents(tables, occurrences, invocation.clock);
      if (failures.length > 0) {
        throw failures[0];
      }
      figures.started = started;
    });
    return { used, start: figures };
  }

  /** A workflow with these nodes that every new contact from its source starts; no other workflow has this source. */
  async function workflowOf(nodes: readonly { type: string; data: Record<string, unknown> }[]) {
    const graph = inARow(nodes, 'contact.created');
    const { _id } = await newWorkflow(tenants, { enabled: true, ...graph });
    return {
      _id,
      disable: () =>
        arrange(
          product.call('toggle-workflow', { token: rep.token, path: { id: _id }, body: { enabled: false } }),
        ),
    };
  }

  /** The write units of the operation of an effect when it runs by itself, for another contact in the same state. */
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
    // The id of the contact is replaced last, because the ids of its records begin with it.
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
    ...{ invocationAt, workflowOf, started, startedBy, appearance, waiting, wake },
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
        const { stepRecords } = await advanceRun(told, runId, { steps: 1, time: day });
        const [stepRecord] = stepRecords;
        if (stepRecord === undefined || stepRecord.status === 'failed') {
          throw new Error(`The step ${sample.type} failed: ${JSON.stringify(stepRecord)}`);
        }
      });
      const alone = await unitsAlone(sample, ids, effect, rep.userId);
      return { ...used, effect: alone + sample.rows * unitsOfRow };
    },
    async start(): Promise<Try> {
      const { _id: contactId } = await tenants.newContact();
      const { _id, disable } = await workflowOf([rest]);
      const now = new Date();
      const { used } = await startedBy([appearance(_id, contactId, now)], now);
      await disable();
      return { ...used, effect: 0 };
    },
    async endOfWait(): Promise<Try> {
      return (await waited()).woken;
    },
    async continue(): Promise<Try> {
      const { dueAt, runId } = await waited();
      const used = await metered(dueAt, ({ context }) => advanceRun(context, runId, { steps: 1, time: day }));
      return { ...used, effect: 0 };
    },
    /** Posts the request of a step, and notes its answer. */
    async answer(): Promise<Try> {
      const { _id: contactId } = await tenants.newContact();
      const node = { type: 'httpRequest', data: { url: 'https://example.com' } };
      const { _id: workflowId, disable } = await workflowOf([node, rest]);
      const now = later();
      const runId = await started(workflowId, contactId, now);
      await disable();
      await advanceRun(invocationAt(now).context, runId, { steps: 1, time: day });
      const response = { status: 200, response: '{}', milliseconds: 0 };
      const outgoingPosts = { check: async () => undefined, post: async () => response };
      const used = await metered(now, async ({ context: { tables, newId } }) => {
        const request = { organizationId, workflowId, runId, n: 2, attempt: 1 };
        const ports = { tables, outgoingPosts, queue: product.queues.workflowRuns };
        const outcome = await postRequest(ports, request, { clock: () => now, newId });
        if (outcome !== 'answered') {
          throw new Error(`The request of a step is ${outcome}`);
        }
      });
      return { ...used, effect: 0 };
    },
    async end(): Promise<Try> {
      const now = new Date();
      const { _id: contactId } = await tenants.newContact();
      const data = { note: 'Call back' };
      const { _id, disable } = await workflowOf([{ type: 'addNote', data }]);
      const runId = await started(_id, contactId, now);
      await disable();
      const used = await metered(now, ({ context }) => advanceRun(context, runId));
      const { _id: another } = await tenants.newContact();
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

  /** A run whose wait of a day has been ended by the clock. */
  async function waited() {
    const now = new Date();
    const { _id: contactId } = await tenants.newContact();
    const { _id, disable } = await workflowOf([rest, rest]);
    const runId = await started(_id, contactId, now);
    await disable();
    const dueAt = after(now, day + minute);
    const used = await wake(await waiting(runId, now), dueAt);
    return { woken: { ...used, effect: 0 }, dueAt, runId };
  }
}
