import advanceWorkflowRun from '../../functions/workflows/advance-workflow-run.ts';
import type { Topic } from '../../functions/workflows/model/definition/topics.ts';
import { startingRun } from '../../functions/workflows/model/execution/lifecycle.ts';
import {
  type Run,
  runKey,
  type StoredStepRecord,
  stepRecordRange,
} from '../../functions/workflows/model/runs/run.ts';
import { startActions } from '../../functions/workflows/model/runs/run-actions.ts';
import { readRunPlan } from '../../functions/workflows/model/runs/run-changes.ts';
import type { StepPorts } from '../../functions/workflows/model/runs/write-step.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import { idAt } from '../../shared/kernel/id-at.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, type Providers, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveQueue } from '../../shared/kernel/serve/serve-queue.ts';
import { queueEvent, runtimeAt, type SentMessage } from '../harness/queues.ts';
import type { Tenants } from '../harness/tenants.ts';
import { newWorkflow, type WorkflowRecord } from './client.ts';

export interface GraphNode {
  readonly type: string;
  readonly data?: Record<string, unknown>;
  /** Its place in the row, such as `n1`, unless stated. */
  readonly id?: string;
}

/** A graph that begins at a trigger and goes through these nodes, one after the other. */
export function inARow(nodes: readonly GraphNode[], event: Topic = 'manual.started') {
  const all = [{ id: 'trigger', type: 'trigger', data: { event }, position }, ...nodes.map(positioned)];
  const edges = all
    .slice(1)
    .map(({ id }, index) => ({ id: `e${index}`, source: all[index]?.id ?? '', target: id }));
  return { nodes: all, edges };
}

const positioned = ({ id, type, data = {} }: GraphNode, index: number) => ({
  id: id ?? `n${index + 1}`,
  type,
  data,
  position,
});

const position = { x: 0, y: 0 };

/** How a run begins, beside what its record says. */
interface Begun {
  /** Now unless stated. */
  readonly at?: Date;
  /** Fields of its event. */
  readonly event?: Readonly<Record<string, unknown>>;
}

/** The runs of workflows of `rep`, advanced in this process when a test says so. */
export async function prepareRuns(tenants: Tenants) {
  const { product, rep } = tenants;
  const { organizationId } = rep;
  const { queue } = { queue: product.queues.workflowRuns };
  const { table, moment } = product.tableOf(organizationId);
  const plans = await product.objects.provider('plans');
  const providers: Providers = { ...product.providers, objects: plans, queue: () => queue };

  /** The ports of the function that advances runs. */
  const portsOf = (own: Providers = providers) => {
    const { clock, ports } = newInvocation(systemRuntime, own);
    return { ...(ports(advanceWorkflowRun.uses, undefined) as Ports<typeof uses>), ...clock };
  };

  /** The ports of the steps of a run, at this time. */
  function contextAt(now: Date): StepPorts {
    const { platform, objects, stepOperations, newId } = portsOf();
    const sources = { table, objects: objects(organizationId) };
    const tables = { table, platform };
    return { tables, stepOperations, planOf: (run) => readRunPlan(sources, run), now, newId };
  }

  const run = async (runId: string): Promise<Run | undefined> => (await table.read(runKey(runId)))?.data;

  return {
    table,
    portsOf,
    providers,
    contextAt,
    run,
    /** An enabled workflow. */
    newWorkflow: (graph: object): Promise<WorkflowRecord> =>
      newWorkflow(tenants, { enabled: true, ...graph }),
    /** Starts a run, without the stream. */
    async start(
      { _id: workflowId }: WorkflowRecord,
      contactId: string,
      { at = new Date(), event = {}, ...more }: Partial<Run> & Begun = {},
    ): Promise<string> {
      const begun: Run = {
        ...startingRun(
          {
            _id: childId(contactId, idAt(at, moment.newId())),
            ...{ workflowId, contactId, userId: rep.userId, revision: 1 },
            ...{ triggerId: 'trigger', topic: 'manual.started', chain: [workflowId] },
          },
          at,
        ),
        ...more,
      };
      const { platform } = portsOf();
      const clock = { now: at, newId: moment.newId };
      await table.commit(startActions({ table, platform }, begun, { contactId, ...event }, clock));
      return begun._id;
    },
    stepRecords: async (runId: string): Promise<StoredStepRecord[]> =>
      (await table.list(stepRecordRange(runId))).map(({ data }) => data),
    /**
     * Delivers a run to the function that advances it, and once more while it asks for that at once. @returns whether the queue would
     * deliver a message again, because the function did not take it.
     */
    async advance(runId: string, at?: Date, own: Providers = providers): Promise<boolean> {
      let comesAgain = false;
      let messages: readonly { readonly body: string }[] = [
        { body: JSON.stringify({ organizationId, runId, tries: 0 }) },
      ];
      while (messages.length > 0) {
        const left = await deliver(messages, at, own);
        comesAgain = comesAgain || left.length > 0;
        messages = queue.take(({ body, delay }) => delay === 0 && body.includes(runId));
      }
      return comesAgain;
    },
    /** Delivers one message as the queue does that lost it that often. */
    lose: (body: string, delivery: number) => deliver([{ body }], undefined, providers, delivery),
    /** Delivers all that the queue has for now, until it has nothing more. */
    async deliverAll(at?: Date): Promise<void> {
      for (;;) {
        const messages = queue.take(({ delay }) => delay === 0);
        if (messages.length === 0) {
          return;
        }
        await deliver(messages, at, providers);
      }
    },
  };
}

const { uses } = advanceWorkflowRun as unknown as {
  readonly uses: {
    organizations: 'write';
    platform: 'write';
    objects: 'plans';
    stepOperations: 'run';
    queue: 'workflowRuns';
  };
};

/** Delivers messages to the function that advances runs, all at the same time. @returns those to be delivered again. */
export async function deliver(
  messages: readonly Pick<SentMessage, 'body'>[],
  at: Date | undefined,
  providers: Providers,
  delivery?: number,
) {
  const handle = serveQueue(
    'advance-workflow-run',
    advanceWorkflowRun,
    providers,
    runtimeAt(at === undefined ? {} : { at }),
  );
  const { batchItemFailures } = await handle(
    queueEvent(
      messages.map(({ body }) => body),
      delivery,
    ),
  );
  return batchItemFailures.map(({ itemIdentifier }) => messages[Number(itemIdentifier)]);
}
