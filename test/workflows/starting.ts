import { readRefusals } from '../../functions/workflows/model/runs/refusals.ts';
import { type Run, runRange } from '../../functions/workflows/model/runs/run.ts';
import { ownersIn } from '../../functions/workflows/model/triggers/owners.ts';
import startWorkflowRuns from '../../functions/workflows/start-workflow-runs.ts';
import { eventKeyFor, type StoredEvent } from '../../shared/events/outbox.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import {
  newInvocation,
  type Providers,
  type Runtime,
  systemRuntime,
} from '../../shared/kernel/serve/invocation.ts';
import { type StreamEvent, serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import { joined } from '../../shared/table/key.ts';
import { organizationSpace } from '../../shared/table/spaces.ts';
import { eventReader, eventsBetween } from '../harness/events.ts';
import type { Tenants } from '../harness/tenants.ts';
import { newWorkflow, type WorkflowRecord } from './client.ts';

export type StreamRecord = StreamEvent['Records'][number];

const position = { x: 0, y: 0 };

/** A trigger node of this event. */
export const trigger = (event: string, data: Record<string, unknown> = {}, id = 'trigger') => ({
  ...{ id, type: 'trigger', position },
  data: { event, ...data },
});

/** How the stream tells of an event. */
export function insertRecord(organizationId: string, event: StoredEvent): StreamRecord {
  const { partition, sort } = eventKeyFor(event.id);
  return {
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: event.id,
      Keys: {
        pk: { S: joined([...organizationSpace(organizationId), ...partition]) },
        sk: { S: joined(sort) },
      },
      NewImage: { data: { S: JSON.stringify(event) } },
    },
  };
}

/** The stream of the organization's events to the function that starts runs, in this process: it tells when the test says so. */
export async function prepareStarts({ product, admin, rep, ...tenants }: Tenants) {
  const { organizationId } = admin;
  const { table } = product.tableOf(organizationId);
  const objects = await product.objects.provider('plans');
  const providers: Providers = { ...product.providers, objects };
  const newEvents = eventReader(product, organizationId);
  const told = new Set<string>();

  /** The events that the stream tells of since the last time; with `since` only of those from then until now. */
  async function newRecords(since?: Date): Promise<StreamRecord[]> {
    const found =
      since === undefined
        ? await newEvents()
        : await eventsBetween(product, organizationId, since, new Date());
    const events = found.filter(({ id }) => !told.has(id));
    for (const { id } of events) {
      told.add(id);
    }
    return events.map((event) => insertRecord(organizationId, event));
  }

  /** Delivers a batch; the figures of the log line. Rejects when it has to be delivered again. */
  async function deliver(Records: StreamRecord[], at = new Date(), own: Providers = providers) {
    let line: Record<string, unknown> = {};
    const log: Runtime['log'] = (one) => {
      line = one;
    };
    const runtime: Runtime = { ...systemRuntime, clock: () => at, log };
    const served = [{ name: 'start-workflow-runs', operation: startWorkflowRuns, providers: own }];
    const { batchItemFailures } = await serveStream(served, runtime)({ Records });
    if (batchItemFailures.length > 0) {
      throw new Error('Not all events were taken');
    }
    return line;
  }

  return {
    table,
    newRecords,
    deliver,
    /** Tells of all new events. */
    tell: async (at?: Date) => deliver(await newRecords(), at),
    /** An enabled workflow of `rep` with a trigger and further nodes in a row. */
    newWorkflow: (graph: object): Promise<WorkflowRecord> =>
      newWorkflow({ product, admin, rep, ...tenants }, { enabled: true, ...graph }),
    /** The runs of a contact, oldest first. */
    runs: async (contactId: string): Promise<Run[]> =>
      (await table.list(runRange(contactId))).map(({ data }) => data),
    refusals: ({ _id }: WorkflowRecord) => readRefusals(table, _id),
    /** The ports that starting runs takes, without the stream. */
    tables() {
      const { ports } = newInvocation(systemRuntime, providers);
      const { platform, objects: objectsFor } = ports(
        { platform: 'write', objects: 'plans' },
        undefined,
      ) as Ports<{ platform: 'write'; objects: 'plans' }>;
      return { table, platform, objects: objectsFor(organizationId), owners: ownersIn(table) };
    },
  };
}
